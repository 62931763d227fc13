import { afterAll, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { parsePart } from '../../../packet/parts/parse-part.ts'
import { type Credit, drawFilms, type Film, type Id, type Revision, revised } from '../../support/graphs/films.ts'
import { replayed, sourceOf, verified } from '../../support/replay/replaying.ts'
import { shuffled } from '../../support/values/shuffle.ts'

const { neo4j, target, legacy } = inject('stack') as Record<'neo4j' | 'target' | 'legacy', Neo4jAddress>
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const from = openDriver(neo4j)
afterAll(() => from.close())

const types = ['ACTED_IN', 'DIRECTED', 'REVIEWED']
const textsOf = (elements: readonly { id: Id }[]) => [...new Set(elements.map(({ id }) => String(id)))]

/** Makes the origin exactly this graph. */
async function draw(mark: string, { films, people, credits }: Revision): Promise<void> {
  for (const label of ['Film', 'Person']) await run(from, `MATCH (n:${mark}${label}) DETACH DELETE n`)
  await run(from, `UNWIND $films AS one CREATE (n:${mark}Film) SET n = one`, { films })
  await run(from, `UNWIND $people AS one CREATE (n:${mark}Person) SET n = one`, { people })
  const ends = `MATCH (p:${mark}Person {id: one.person}) MATCH (f:${mark}Film {id: one.film})`
  for (const type of types) {
    const all = credits.filter((one: Credit) => one.type === type)
    await run(from, `UNWIND $all AS one ${ends} CREATE (p)-[r:${type}]->(f) SET r = one.properties`, { all })
  }
}

test.each([
  ['Neo4j 5', target],
  ['Neo4j 3.5', legacy],
])(
  'two revisions of a catalogue of films arrive in %s exactly, in any order',
  { timeout: 240_000 },
  async (name, address) => {
    const isOld = name === 'Neo4j 3.5'
    const mark = uniqueName('Catalogue')
    const to = openDriver(address)
    const label = (kind: string) => `${mark}${kind}`
    const unique = (label: string, key: string, old: boolean) =>
      `CREATE CONSTRAINT ${old ? `ON (n:${label}) ASSERT n.${key} IS UNIQUE` : `FOR (n:${label}) REQUIRE n.${key} IS UNIQUE`}`
    const parameterSyntax = isOld ? 'braces' : 'dollar'
    const common = {
      ...database(neo4j, label('Film'), 'id', { [label('Person')]: 'id' }),
      parameterSyntax,
      returnOnly: true,
    }

    async function pairsOf(path: string, body: object) {
      const { text, body: answer } = await client.post(path, body)
      expect(answer.error).toBeNull()
      return parsePart(/"transactionRequest":(.*),"transactionRequests"/s.exec(text)?.[1] ?? '')
    }
    const publish = (films: readonly Film[], people: Revision['people']) =>
      pairsOf('/1.0/publish/multi', [
        {
          ...common,
          index: label('Film'),
          originIds: textsOf(films),
          metadata: true,
          relationships: types.map((type) => `<${type}`),
          relationshipIdField: 'credit',
        },
        { ...common, index: label('Person'), originIds: textsOf(people), metadata: true },
      ])
    const removal = (ids: readonly Id[], idType: 'string' | 'integer') =>
      pairsOf('/1.0/publish/any/delete', {
        ...common,
        index: label('Film'),
        originIds: ids.map(String),
        idType,
        fileName: 'any',
      })
    const expectEqual = async () =>
      expect(differences(await readGraph(from, mark), await readGraph(to, mark))).toEqual([])

    try {
      for (const [kind, key] of [
        ['Film', 'id'],
        ['Film', 'imdb'],
        ['Person', 'id'],
      ] as const) {
        await run(from, unique(label(kind), key, false))
        await run(to, unique(label(kind), key, isOld))
      }
      const first = drawFilms(1999)
      await draw(mark, first)
      await replayed(sourceOf(await publish(first.films, first.people)), address)
      await expectEqual()

      const { removed, ...second } = revised(first)
      await draw(mark, second)
      const pairs = await publish(second.films, second.people)
      expect((await verified(sourceOf(pairs), address)).differing).toBeGreaterThan(100)
      for (const idType of ['string', 'integer'] as const) {
        const ids = removed.filter((id) => (typeof id === 'string') === (idType === 'string'))
        expect(ids.length).toBeGreaterThan(0)
        await replayed(sourceOf(await removal(ids, idType)), address)
      }
      // Each pair twice, over several parts, in an order that knows nothing of kinds.
      const repeated = shuffled([...pairs, ...pairs], 7)
      const third = Math.ceil(repeated.length / 3)
      const parts = [0, 1, 2].map((at) => repeated.slice(at * third, (at + 1) * third))
      await replayed(sourceOf(...parts), address)
      await expectEqual()
      expect(await verified(sourceOf(pairs), address)).toMatchObject({ differing: 0 })
      await replayed(sourceOf(shuffled(pairs, 8)), address)
      await expectEqual()
    } finally {
      await to.close()
    }
  },
)
