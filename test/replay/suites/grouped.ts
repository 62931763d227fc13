import type { Driver } from 'neo4j-driver'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import type { Pair } from '../../../packet/parts/parse-part.ts'
import { answeredPairs } from '../../support/replay/answered-pairs.ts'
import { replayInOrder } from '../../support/replay/replay-in-order.ts'
import { replayed, sourceOf } from '../../support/replay/replaying.ts'
import { shuffled } from '../../support/values/shuffle.ts'
import { dirtying, drawing, kinds, leftovers, movieIds, personIds } from '../sample-graph.ts'

const even = (pairs: readonly Pair[]) => pairs.filter((_, index) => index % 2 === 0)
const replays = {
  'in order': (pairs: readonly Pair[]) => [pairs],
  'shuffled, and again': (pairs: readonly Pair[]) => [shuffled(pairs, 1), shuffled(pairs, 2)],
  'half grouped, half one by one': (pairs: readonly Pair[]) => [even(pairs)],
}

/** Registers these tests of packets in this syntax: in dollars they go into Neo4j 5, in braces into Neo4j 3.5. */
export function testGrouped(syntax: 'dollar' | 'braces', ...names: (keyof typeof replays)[]): void {
  const { neo4j, target, legacy } = inject('stack') as {
    neo4j: Neo4jAddress
    target: Neo4jAddress
    legacy: Neo4jAddress
  }
  const { apiUrl, tokens } = inject('service')
  const client = createClient(apiUrl, tokens.all as string)
  const address = syntax === 'dollar' ? target : legacy
  const [origin, copy] = [openDriver(neo4j), openDriver(address)]
  afterAll(() => Promise.all([origin, copy].map((driver) => driver.close())))

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

  /** One lane, and four with batches so small that every lane has some. */
  const ways = [
    { lanes: 1, createConstraints: true },
    { lanes: 4, createConstraints: true, batchRows: 9 },
  ]

  describe(`a packet in ${syntax} syntax, its pairs grouped by text`, () => {
    const first = syntax === 'dollar' ? 1 : 0
    test.each(names)(
      'a packet whose pairs are grouped by text makes a dirty target equal to the origin: %s',
      async (name) => {
        const mark = uniqueName('G')
        try {
          await runAll(origin, [...drawing(mark), drawDates(mark)])
          await runAll(copy, [...dirtying(mark), dirtyDates(mark)])
          const pairs = await publish(mark, syntax)
          if (name.startsWith('half')) {
            await replayInOrder(
              copy,
              pairs.filter((_, index) => index % 2 === 1),
            )
          }
          for (const [at, some] of replays[name](pairs).entries())
            await replayed(sourceOf(some), address, ways[(at + first) % 2])
          await runAll(origin, [...leftovers(mark), leftDate(mark)])
          const [expected, actual] = [await readGraph(origin, mark), await readGraph(copy, mark)]
          expect([expected.nodes.length, expected.relationships.length]).toEqual([65 + 11, 65 + 9])
          expect(differences(expected, actual)).toEqual([])
        } finally {
          await clean(origin, mark)
          await clean(copy, mark)
        }
      },
    )
  })
}
