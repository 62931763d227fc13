import fc from 'fast-check'
import { afterAll, expect, inject, test } from 'vitest'
import { differences } from '../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { readConfig } from '../../shared/config/config.ts'
import { buildPacket } from '../../shared/publish/build-packet.ts'
import { parsePublishRequest } from '../../shared/publish/request/rules.ts'
import { type Pair, parsePart } from '../../shared/replay/pair.ts'
import { alphabetOf } from '../replay/generator/alphabet.ts'
import { type Graph, graphText } from '../replay/generator/graph.ts'
import { createOrigin, replayed, wipeOrigin } from '../replay/run/databases.ts'
import { shuffled } from '../support/shuffle.ts'

const { neo4j, target } = inject('stack') as { neo4j: Neo4jAddress; target: Neo4jAddress }
const { origin: originPolicy } = readConfig('worker', inject('service').env)
const [from, to] = [openDriver(neo4j), openDriver(target)]
const names = alphabetOf('Moving', 650_000n)
afterAll(async () => {
  await wipeOrigin(from, names)
  await Promise.all([from.close(), to.close()])
})

/** Builds the packet of one request; `change` runs after each part. */
async function build(fields: object, change: () => Promise<unknown>, batchSize = 1): Promise<Pair[]> {
  const { request } = parsePublishRequest({ ...database(neo4j, names.a, 'id'), returnOnly: true, ...fields })
  const order = { requests: [request], syntax: 'dollar' as const, batchSize, maxPairs: 10_000 }
  const pairs: Pair[] = []
  let changed = Promise.resolve<unknown>(null)
  const sink = async ({ bytes }: { bytes: Buffer }) => {
    pairs.push(...parsePart(bytes.toString()))
    changed = changed.then(change)
    await changed
  }
  const { signal } = new AbortController()
  const surroundings = { originPolicy, sink, signal, onProgress() {} }
  await buildPacket({ ...order, limitSeconds: 60, spentSeconds: 0, acceptedAt: 0 }, surroundings)
  return pairs
}

/** The effect of the pairs on a target depends neither on their order nor on how often each is replayed. */
async function expectOneOutcome(pairs: readonly Pair[], before: Graph, seed = 1): Promise<Graph> {
  const inOrder = await replayed(to, before, pairs, names)
  const others = [
    pairs.toReversed(),
    shuffled(pairs, seed),
    shuffled([...pairs, ...pairs], seed + 1),
    [...pairs, ...pairs],
  ]
  for (const order of others) {
    const outcome = await replayed(to, before, order, names)
    expect(differences(graphText(inOrder), graphText(outcome))).toEqual([])
  }
  return inOrder
}

const node = (id: string) => ({ labels: [names.a], properties: { id } })
const edge = (start: number, end: number, grn: string) => ({
  type: 'GEN_T',
  from: start,
  to: end,
  properties: { grn },
})

// More than the parts in flight: the first change happens before the last node is written.
const people = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5']
const absent = ['new', 'newer']
const everyone = [...people, ...absent]

/** The target has a relationship between any two nodes, so that a cleanup always finds something. */
const dirty: Graph = {
  nodes: everyone.map(node),
  relationships: everyone.flatMap((_, start) => everyone.map((_, end) => edge(start, end, `stale-${start}-${end}`))),
}

const merged = (id: string) => `MERGE (:${names.a} {id: '${id}'})`
const link = (start: string, end: string, grn: string) =>
  `MATCH (a:${names.a} {id: '${start}'}), (b:${names.a} {id: '${end}'}) CREATE (a)-[:GEN_T {grn: '${grn}'}]->(b)`
const removed = (id: string) => `MATCH (n:${names.a} {id: '${id}'}) DETACH DELETE n`

/** The queries of one change, run in order. */
const changes: fc.Arbitrary<string[]> = fc
  .record({
    kind: fc.constantFrom('appear', 'again', 'remove', 'link', 'unlink'),
    one: fc.constantFrom(...everyone),
    other: fc.constantFrom(...everyone),
    grn: fc.nat(),
  })
  .map(({ kind, one, other, grn }) => {
    switch (kind) {
      case 'appear':
        return [merged(one), link(other, one, `g${grn}`)]
      case 'again':
        return [removed(one), merged(one), link(other, one, `g${grn}`), link(one, other, `h${grn}`)]
      case 'remove':
        return [removed(one)]
      case 'link':
        return [link(one, other, `g${grn}`)]
      default:
        return [`MATCH (:${names.a} {id: '${one}'})-[r:GEN_T]-() DELETE r`]
    }
  })

const requests = fc.record(
  {
    relationships: fc.constantFrom(['GEN_T'], ['GEN_T'], ['GEN_T>'], ['<GEN_T'], ['GEN_T', 'GEN_U']),
    originIds: fc.subarray(everyone, { minLength: 4 }),
    metadata: fc.constantFrom(true, true, false),
    toLayer: fc.constantFrom(undefined, undefined, ['GEN_T']),
    byId: fc.constantFrom(
      {},
      {},
      { relationshipIdField: 'grn' },
      { relationshipIdField: 'grn', deleteRelationshipById: true },
      { relationshipIdField: 'grn', relationshipDeleteOnly: true },
    ),
  },
  { noNullPrototype: true },
)

const cases = fc.record({
  edges: fc.uniqueArray(fc.tuple(fc.nat(5), fc.nat(5)), { selector: String, maxLength: 6 }),
  request: requests,
  changes: fc.array(
    fc.array(changes, { minLength: 1, maxLength: 4 }).map((several) => several.flat()),
    { minLength: 1, maxLength: 4 },
  ),
  seed: fc.nat(),
})

test('generated: a packet whose origin changes during the build has one outcome, in any order', {
  timeout: 300_000,
}, async () => {
  const property = fc.asyncProperty(cases, async ({ edges, request: { byId, ...request }, changes, seed }) => {
    const relationships = edges.map(([start, end]) => edge(start, end, `e-${start}-${end}`))
    await createOrigin(from, { nodes: people.map(node), relationships }, names)
    const left = [...changes]
    const change = async () => {
      for (const query of left.shift() ?? []) await run(from, query)
    }
    const fields = { ...request, ...byId, originIds: [...request.originIds, 'p0'] }
    await expectOneOutcome(await build(fields, change), dirty, seed)
  })
  await fc.assert(property, { numRuns: 40 })
})

test('the relationships of a missing id are not removed once a node with that id has been seen', async () => {
  await createOrigin(from, { nodes: people.map(node), relationships: [] }, names)
  const appear = [merged('new'), link('p0', 'new', 'g1')]
  const change = async () => {
    for (const query of appear.splice(0)) await run(from, query)
  }
  const fields = { originIds: [...people, 'new'], metadata: true, relationships: ['GEN_T'] }
  const pairs = await build(fields, change)
  const { nodes, relationships } = await expectOneOutcome(pairs, dirty)
  const ends = relationships.map(({ from, to }) => [nodes[from]?.properties.id, nodes[to]?.properties.id])
  expect(ends).toContainEqual(['p0', 'new'])
})

test('the cleanup of a missing id comes after all other pairs of its request', async () => {
  await createOrigin(from, { nodes: people.map(node), relationships: [edge(0, 1, 'g')] }, names)
  const pairs = await build({ originIds: ['p0', 'gone'], metadata: true, relationships: ['GEN_T'] }, async () => {})
  expect(pairs.map(({ parameters }) => parameters.baseId ?? null)).toEqual([null, null, 'p0', 'gone'])
})

test('a targeted node deleted and recreated after its turn keeps relationships that others draw to it', async () => {
  const label = uniqueName('Many')
  const count = 1_100
  await run(
    from,
    `CREATE (:${names.a}:${names.x} {id: 'root'}) WITH 1 AS one UNWIND range(0, ${count - 1}) AS i
    MATCH (root:${names.a} {id: 'root'}) CREATE (root)-[:GEN_U]->(:${names.a}:${names.y} {id: '${label}' + i})`,
  )
  const [first, last] = [`${label}0`, `${label}${count - 1}`]
  const again = [removed(first), merged(first), link(last, first, 'again')]
  const change = async () => {
    for (const query of again.splice(0)) await run(from, query)
  }
  // One part, which is full after the cleanups of the first thousand nodes.
  const fields = { originIds: ['root'], toLayer: ['GEN_U>'], relationships: ['GEN_T'] }
  const pairs = await build(fields, change, 500)
  await run(from, `MATCH (n:${names.a}) DETACH DELETE n`)
  const cleanups = pairs.filter(({ parameters }) => parameters.baseId === first)
  const drawn = pairs.filter(({ parameters }) => parameters.b_id === first)
  expect([cleanups.length, drawn.length]).toEqual([1, 0])
})
