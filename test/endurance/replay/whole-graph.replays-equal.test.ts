import type { Driver } from 'neo4j-driver'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { createClient } from '../../../dev/client.ts'
import { differences, type GraphText, readGraph, zonedOffsets } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { type Pair, parsePart } from '../../../packet/parts/parse-part.ts'
import { dirtying, drawing, kinds, leftovers, movieIds, personIds } from '../../replay/sample-graph.ts'
import { replayInOrder } from '../../support/replay/replay-in-order.ts'
import { shuffled } from '../../support/values/shuffle.ts'

const { neo4j, target, legacy } = inject('stack') as { neo4j: Neo4jAddress; target: Neo4jAddress; legacy: Neo4jAddress }
const { apiUrl, tokens } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const drivers = new Map([neo4j, target, legacy].map((address) => [address, openDriver(address)]))
const driverOf = (address: Neo4jAddress) => drivers.get(address) as Driver

afterAll(() => Promise.all([...drivers.values()].map((driver) => driver.close())))

async function runAll(driver: Driver, queries: readonly string[]) {
  for (const query of queries) await run(driver, query)
}

/** Publishes the whole sample graph and returns the pairs in packet order. */
async function publish(origin: Neo4jAddress, mark: string, parameterSyntax: string): Promise<Pair[]> {
  const { person, movie } = kinds(mark)
  const mapping = {
    ...database(origin, person, 'id', { [movie]: 'title' }),
    metadata: true,
    parameterSyntax,
    returnOnly: true,
  }
  const relationships = ['KNOWS', 'LIKES', 'ODD `TYPE']
  const answer = await client.post('/1.0/publish/multi', [
    { ...mapping, originIds: personIds, relationships },
    { ...mapping, index: movie, originIds: movieIds, relationships },
  ])
  expect(answer.body.error).toBeNull()
  return parsePart(/"transactionRequest":(.*),"transactionRequests"/s.exec(answer.text)?.[1] ?? '')
}

// The generated cases are replayed in other random orders.
const orders: [name: string, order: (pairs: readonly Pair[]) => readonly Pair[]][] = [
  ['in order', (pairs) => pairs],
  ['in order, each pair twice', (pairs) => pairs.flatMap((pair) => [pair, pair])],
  ['backwards', (pairs) => pairs.toReversed()],
  ['shuffled', (pairs) => shuffled(pairs, 1)],
  ['twice, shuffled differently', (pairs) => [...shuffled(pairs, 4), ...shuffled(pairs, 5)]],
]

describe.each([
  { name: 'Neo4j 5 into Neo4j 5 in dollar syntax', origin: neo4j, copy: target, syntax: 'dollar' },
  { name: 'Neo4j 5 into Neo4j 3.5 in braces', origin: neo4j, copy: legacy, syntax: 'braces' },
  { name: 'Neo4j 3.5 into Neo4j 5 in dollar syntax', origin: legacy, copy: target, syntax: 'dollar' },
])('$name', ({ origin, copy, syntax }) => {
  // The same labels in all orders, as a database plans each new text.
  const mark = uniqueName('R')
  const clean = (driver: Driver) =>
    run(driver, 'MATCH (n) WHERE any(l IN labels(n) WHERE l STARTS WITH $mark) DETACH DELETE n', { mark })
  const zoned = (driver: Driver) => zonedOffsets(driver, kinds(mark).person, ['before', 'after', 'old', 'ldz[0]'])
  let pairs: Pair[] = []
  let expected: GraphText = { nodes: [], relationships: [] }

  beforeAll(async () => {
    await runAll(driverOf(origin), drawing(mark))
    pairs = await publish(origin, mark, syntax)
    await runAll(driverOf(origin), leftovers(mark))
    expected = await readGraph(driverOf(origin), mark)
    expect(expected.nodes.length).toBe(65)
    expect(expected.relationships.length).toBe(65)
  })
  beforeEach(() => runAll(driverOf(copy), dirtying(mark)))
  afterEach(() => clean(driverOf(copy)))
  afterAll(() => clean(driverOf(origin)))

  test.each(orders)('a dirty target equals the origin after a replay %s', async (_name, order) => {
    await replayInOrder(driverOf(copy), order(pairs))
    expect(differences(expected, await readGraph(driverOf(copy), mark))).toEqual([])
    const offsets = await zoned(driverOf(origin))
    expect(offsets.slice(0, 5).map(String)).toEqual(['7200', '1603585800', '3600', '1603589400', '-17762'])
    expect(await zoned(driverOf(copy))).toEqual(offsets)
  })
})
