import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { parsePart } from '../../../packet/parts/parse-part.ts'
import { replayed, sourceOf, verified } from '../../support/replay/replaying.ts'
import { createRandom } from '../../support/values/random.ts'

const { neo4j, target, legacy } = inject('stack') as Record<'neo4j' | 'target' | 'legacy', Neo4jAddress>
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const from = openDriver(neo4j)
afterAll(() => from.close())

const [characters, seasons, meetings] = [400, 8, 4_000]

/** Who meets whom in which season, like the characters of a series: few meet many, often in several seasons. */
function drawMeetings() {
  const random = createRandom(17)
  const someone = () => Math.floor(characters * random() ** 3)
  const drawn = new Map<string, { a: string; b: string; season: bigint; weight: bigint }>()
  while (drawn.size < meetings) {
    const [a, b, season] = [someone(), someone(), 1 + Math.floor(seasons * random())]
    const [one, other] = [`c${Math.min(a, b)}`, `c${Math.max(a, b)}`]
    const weight = BigInt(1 + Math.floor(30 * random()))
    drawn.set(`${one} ${other} ${season}`, { a: one, b: other, season: BigInt(season), weight })
  }
  return [...drawn.values()]
}

test.each([
  ['Neo4j 5', target],
  ['Neo4j 3.5', legacy],
])(
  'the last season of a series, deleted at the origin, is deleted in %s, and nothing else',
  {
    timeout: 240_000,
  },
  async (name, address) => {
    const to = openDriver(address)
    try {
      const label = uniqueName('Character')
      const isOld = name === 'Neo4j 3.5'
      const constraint = isOld ? `ON (n:${label}) ASSERT n.id IS UNIQUE` : `FOR (n:${label}) REQUIRE n.id IS UNIQUE`
      await run(to, `CREATE CONSTRAINT ${constraint}`)
      await run(from, `CREATE CONSTRAINT FOR (n:${label}) REQUIRE n.id IS UNIQUE`)
      await run(from, `UNWIND range(0, ${characters - 1}) AS i CREATE (:${label} {id: 'c' + i, name: 'Name ' + i})`)
      const ends = `MATCH (a:${label} {id: one.a}) MATCH (b:${label} {id: one.b})`
      const meets = 'CREATE (a)-[:MEETS {season: one.season, weight: one.weight}]->(b)'
      await run(from, `UNWIND $all AS one ${ends} ${meets}`, { all: drawMeetings() })

      const originIds = Array.from({ length: characters }, (_, index) => `c${index}`)
      const fields = { originIds, metadata: true, relationships: ['MEETS'], relationshipIdField: 'season' }
      const publish = async () => {
        const syntax = { parameterSyntax: isOld ? 'braces' : 'dollar', returnOnly: true }
        const { text, body } = await client.post('/1.0/publish/', {
          ...database(neo4j, label, 'id'),
          ...syntax,
          ...fields,
        })
        expect(body.error).toBeNull()
        return sourceOf(parsePart(/"transactionRequest":(.*),"transactionRequests"/s.exec(text)?.[1] ?? ''))
      }
      const query = `MATCH (a:${label})-[r:MEETS]->(b) RETURN a.id + ' ' + toString(r.season) + ' ' + b.id, toString(r.weight)`
      const graph = async (driver: typeof to) => (await run(driver, query)).map((row) => row.join(' ')).sort()

      await replayed(await publish(), address)
      expect(await graph(to)).toEqual(await graph(from))
      const [[deleted]] = (await run(
        from,
        `MATCH (:${label})-[r:MEETS {season: ${seasons}}]->() DELETE r RETURN count(r)`,
      )) as [[bigint]]
      const second = await publish()
      expect((await verified(second, address)).differing).toBeGreaterThan(0)
      await replayed(second, address)
      expect(await graph(to)).toEqual(await graph(from))
      expect((await graph(to)).length).toBe(meetings - Number(deleted))
      expect(await verified(second, address)).toMatchObject({ differing: 0 })
    } finally {
      await to.close()
    }
  },
)
