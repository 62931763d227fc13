import { afterAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { parsePart } from '../../../packet/parts/parse-part.ts'
import { replayed, sourceOf, verified } from '../../support/replay/replaying.ts'

const { neo4j, target, legacy } = inject('stack') as Record<'neo4j' | 'target' | 'legacy', Neo4jAddress>
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const from = openDriver(neo4j)
afterAll(() => from.close())

// Several hundred ids: a database compares few one by one, and more by hash. Neo4j 3.5 has another limit than Neo4j 5.
const ofEachType = 250

/** Expressions of ids of many types, each another value for each `i`. */
const types: readonly (readonly [string, string])[] = [
  ['strings', "'x' + toString(i)"],
  ['integers', 'i'],
  ['floats', '0.5 + i'],
  ['large integers', '4611686018427387904 + i'],
  ['dates', 'date({year: 1000 + i})'],
  ['points', 'point({srid: 7203, x: 0.5 * i, y: 1.0})'],
  ['lists of integers', '[i, 2 * i]'],
  ['lists of dates', '[date({year: 1000 + i, month: 2, day: 28})]'],
  ['lists of datetimes', "[datetime({year: 1000 + i, timezone: '+01:00'})]"],
  ['lists of local datetimes', '[localdatetime({year: 1000 + i})]'],
  ['lists of times', "[time({hour: 1, minute: 0, second: 0, nanosecond: i, timezone: '+01:00'})]"],
  ['lists of local times', '[localtime({hour: 1, minute: 0, second: 0, nanosecond: i})]'],
  ['lists of durations', '[duration({months: i})]'],
]

// The short form takes every third, from one that is drawn.
const first = inject('isLong') ? 0 : Math.floor(3 * Math.random())
const some = types.filter((_, index) => index % (inject('isLong') ? 1 : 3) === first)

describe.each([
  ['Neo4j 5', target],
  ['Neo4j 3.5', legacy],
])('cleanups in %s', (name, address) => {
  const to = openDriver(address)
  afterAll(() => to.close())
  const isOld = name === 'Neo4j 3.5'
  const syntax = { parameterSyntax: isOld ? 'braces' : 'dollar', returnOnly: true }

  test.each(some)('cleanups keep every relationship with ids that are %s, and no other', async (_type, id) => {
    const label = uniqueName('P')
    const named = (query: string) => query.replaceAll(':P', `:${label}`)
    await run(to, named(`CREATE CONSTRAINT ${isOld ? 'ON (n:P) ASSERT' : 'FOR (n:P) REQUIRE'} n.id IS UNIQUE`))
    await run(
      from,
      named(
        `CREATE (n:P {id: 'hub'}) WITH n UNWIND range(1, ${ofEachType}) AS i CREATE (n)-[:T {n: ${id}}]->(:P {id: ${id}})`,
      ),
    )
    const ask = async (query: string) => (await run(to, named(query)))[0]
    for (const fields of [
      { relationshipIdField: 'n' },
      {},
      { relationshipIdField: 'n', deleteRelationshipById: true },
    ]) {
      const request = {
        ...database(neo4j, label, 'id'),
        ...syntax,
        originIds: ['hub'],
        relationships: ['T>'],
        ...fields,
      }
      const { text, body } = await client.post('/1.0/publish/', request)
      expect(body.error).toBeNull()
      const packet = sourceOf(parsePart(/"transactionRequest":(.*),"transactionRequests"/s.exec(text)?.[1] ?? ''))
      await replayed(packet, address)
      await ask("MATCH (n:P {id: 'hub'}) CREATE (n)-[:T {n: 'stale', stale: true}]->(:P {id: 'stale'}) RETURN 1")
      await replayed(packet, address)
      expect(await ask('MATCH (:P)-[r:T]->() RETURN count(r), count(r.stale)')).toEqual([BigInt(ofEachType), 0n])
      expect(await verified(packet, address)).toMatchObject({ differing: 0 })
      await ask("MATCH (n:P {id: 'stale'}) DELETE n RETURN 1")
    }
  })
})
