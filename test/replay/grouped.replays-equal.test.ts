import type { Driver } from 'neo4j-driver'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { differences, readGraph } from '../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { type Pair, replay } from '../../dev/replay/replay.ts'
import { replayGrouped } from '../../dev/replay/replay-grouped.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { answeredPairs } from '../support/answered-pairs.ts'
import { shuffled } from '../support/shuffle.ts'
import { dirtying, drawing, kinds, leftovers, movieIds, personIds } from './sample-graph.ts'

const { neo4j, target, legacy } = inject('stack') as { neo4j: Neo4jAddress; target: Neo4jAddress; legacy: Neo4jAddress }
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const origin = openDriver(neo4j)
const copies = { dollar: openDriver(target), braces: openDriver(legacy) }
afterAll(() => Promise.all([origin, ...Object.values(copies)].map((driver) => driver.close())))

async function runAll(driver: Driver, queries: readonly string[]) {
  for (const query of queries) await run(driver, query)
}

const clean = (driver: Driver, mark: string) =>
  run(driver, 'MATCH (n) WHERE any(l IN labels(n) WHERE l STARTS WITH $mark) DETACH DELETE n', { mark })

/** A hub whose far ends have dates as ids: its cleanup must bind the list of dates first. */
const drawDates = (mark: string) =>
  `CREATE (hub:\`${mark}Hub\` {id: 'hub'}) WITH hub UNWIND range(1, 9) AS i
   CREATE (hub)-[:ON]->(:\`${mark}Day\` {id: date({year: 2000 + i})})`
const dirtyDates = (mark: string) =>
  `CREATE (hub:\`${mark}Hub\` {id: 'hub'}) WITH hub UNWIND [2001, 2099] AS year
   CREATE (hub)-[:ON {stale: true}]->(:\`${mark}Day\` {id: date({year: year})})`
const leftDate = (mark: string) => `CREATE (:\`${mark}Day\` {id: date({year: 2099})})`

async function publish(mark: string, parameterSyntax: string): Promise<Pair[]> {
  const { person, movie } = kinds(mark)
  const others = { [movie]: 'title', [`${mark}Hub`]: 'id', [`${mark}Day`]: 'id' }
  const fields = { ...database(neo4j, person, 'id', others), metadata: true, parameterSyntax, returnOnly: true }
  const relationships = ['KNOWS', 'LIKES', 'ODD `TYPE', 'ON']
  const answer = await client.post('/1.0/publish/multi', [
    { ...fields, originIds: personIds, relationships },
    { ...fields, index: movie, originIds: movieIds, relationships },
    { ...fields, index: `${mark}Hub`, originIds: ['hub'], relationships, toLayer: ['ON'] },
    { ...fields, index: `${mark}Hub`, originIds: ['hub'], relationships },
  ])
  return answeredPairs(answer)
}

describe.each(['dollar', 'braces'] as const)('a packet in %s syntax, its pairs grouped by text', (syntax) => {
  const copy = copies[syntax]
  test.each([
    ['in order', (pairs: readonly Pair[]) => [pairs]],
    ['shuffled, and again', (pairs: readonly Pair[]) => [shuffled(pairs, 1), shuffled(pairs, 2)]],
    ['half grouped, half one by one', (pairs: readonly Pair[]) => [pairs.filter((_, index) => index % 2 === 0)]],
  ])('makes a dirty target equal to the origin: %s', async (name, replays) => {
    const mark = uniqueName('G')
    try {
      await runAll(origin, [...drawing(mark), drawDates(mark)])
      await runAll(copy, [...dirtying(mark), dirtyDates(mark)])
      const pairs = await publish(mark, syntax)
      if (name.startsWith('half')) {
        await replay(
          copy,
          pairs.filter((_, index) => index % 2 === 1),
        )
      }
      for (const some of replays(pairs)) await replayGrouped(copy, some)
      await runAll(origin, [...leftovers(mark), leftDate(mark)])
      const [expected, actual] = [await readGraph(origin, mark), await readGraph(copy, mark)]
      expect([expected.nodes.length, expected.relationships.length]).toEqual([65 + 11, 65 + 9])
      expect(differences(expected, actual)).toEqual([])
    } finally {
      await clean(origin, mark)
      await clean(copy, mark)
    }
  })
})

const upsert = (label: string, id: string): Pair => ({
  statement: `MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`id\`: $id}`,
  parameters: { id },
  metadata: null,
})

test('thousands of rows are split into transactions of a thousand, with counters summed over all', async () => {
  const label = uniqueName('Rows')
  await run(copies.dollar, `CREATE CONSTRAINT FOR (n:\`${label}\`) REQUIRE n.id IS UNIQUE`)
  const pairs = Array.from({ length: 2_001 }, (_, index) => upsert(label, `p${index}`))
  const { transactions, counters } = await replayGrouped(copies.dollar, pairs)
  expect([transactions, counters.nodesCreated]).toEqual([3, 2_001])
  expect((await replayGrouped(copies.dollar, pairs)).counters.nodesCreated).toBe(0)
  await clean(copies.dollar, label)
})

test('a row that updates two nodes is reported, and so is a pair with a missing parameter', async () => {
  const label = uniqueName('Twice')
  await run(copies.dollar, `CREATE (:\`${label}\` {id: 'a'}), (:\`${label}\` {id: 'a'})`)
  await expect(replayGrouped(copies.dollar, [upsert(label, 'a')])).rejects.toThrow('2 upserts by 1 rows of UNWIND')
  await expect(replayGrouped(copies.dollar, [{ ...upsert(label, 'a'), parameters: {} }])).rejects.toThrow(
    'a pair has no parameter id',
  )
  await clean(copies.dollar, label)
})
