import fc from 'fast-check'
import { afterAll, expect, inject, test } from 'vitest'
import { differences } from '../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/stack.ts'
import { defaultSizes } from '../../shared/publish/read/reading.ts'
import type { Pair } from '../../shared/replay/pair.ts'
import { alphabetOf } from '../replay/generator/alphabet.ts'
import { type Graph, graphText } from '../replay/generator/graph.ts'
import { changesAt, type KindOfChanges } from '../replay/generator/writers.ts'
import { createOrigin, replayed, wipeOrigin } from '../replay/run/databases.ts'
import { buildWhile } from '../support/origins/build-while.ts'
import { shuffled } from '../support/values/shuffle.ts'

const { neo4j, target } = inject('stack') as { neo4j: Neo4jAddress; target: Neo4jAddress }
const [from, to] = [openDriver(neo4j), openDriver(target)]
const names = alphabetOf('Moving', 650_000n)
afterAll(async () => {
  await wipeOrigin(from, names)
  await Promise.all([from.close(), to.close()])
})

const build = buildWhile(neo4j, names)

/** Runs the queries when it is called first. */
const once = (queries: string[]) => async () => {
  for (const query of queries.splice(0)) await run(from, query)
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

const empty: Graph = { nodes: [], relationships: [] }

const { merged, link, removed, relabelled, changesOf } = changesAt(names, everyone)

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

const sizes = fc.record({
  probe: fc.constantFrom(1, 2, 10),
  group: fc.constantFrom(1, 2, 3, 20_000),
  chunk: fc.constantFrom(1, 2, 3, 1_000),
})

const casesOf = (kinds: KindOfChanges) =>
  fc.record({
    sizes,
    edges: fc.uniqueArray(fc.tuple(fc.nat(5), fc.nat(5)), { selector: String, maxLength: 6 }),
    request: requests,
    /** Whether it names the edges by their own ids instead, so that their ends are the targeted nodes. */
    isOfEdges: fc.constantFrom(true, false, false),
    changes: fc.array(
      fc.array(changesOf(kinds), { minLength: 1, maxLength: 4 }).map((several) => several.flat()),
      { minLength: 1, maxLength: 4 },
    ),
    seed: fc.nat(),
  })

test.each([
  ['existence', inject('isLong') ? 400 : 40],
  ['identities', inject('isLong') ? 400 : 30],
] as const)(
  'generated: a packet whose origin changes in the %s of nodes has one outcome in any order, or is refused',
  {
    timeout: 900_000,
  },
  async (kinds, numRuns) => {
    let refused = 0
    const property = fc.asyncProperty(casesOf(kinds), async ({ edges, request, isOfEdges, sizes, changes, seed }) => {
      const { byId, ...asked } = request
      const relationships = edges.map(([start, end]) => edge(start, end, `e-${start}-${end}`))
      await createOrigin(from, { nodes: people.map(node), relationships }, names)
      const left = [...changes]
      const change = async () => {
        for (const query of left.shift() ?? []) await run(from, query)
      }
      const relationshipIds = ['gone', ...relationships.map(({ properties }) => properties.grn)]
      const ofEdges = { metadata: asked.metadata, relationshipIdField: 'grn', relationshipIds, preventCleanup: true }
      const fields = isOfEdges ? ofEdges : { ...asked, ...byId, originIds: [...asked.originIds, 'p0'] }
      const built = await build(fields, change, { sizes }).catch((error: { code?: string }) => error)
      // A node that a target lacks shows by which label it was made.
      const before = kinds === 'existence' ? dirty : empty
      if (Array.isArray(built)) await expectOneOutcome(built, before, seed)
      else {
        expect(built).toMatchObject({ code: 'originChanged' })
        refused++
      }
    })
    await fc.assert(property, { numRuns })
    expect(refused).toBeLessThan(kinds === 'existence' ? 1 : numRuns / 2)
  },
)

test('a node whose identity changes between two reads of a request fails the build, which may be tried again', async () => {
  await createOrigin(from, { nodes: people.map(node), relationships: [] }, names)
  const read = await run(from, `MATCH (n:\`${names.a}\`) RETURN n.id ORDER BY id(n)`)
  const [first, last] = [String(read[0]), String(read.at(-1))]
  await run(from, link(first, last, 'g'))
  const change = once([relabelled(last)])
  const fields = { originIds: people, metadata: true, relationships: ['GEN_T>'] }
  const building = () => build(fields, change, { sizes: { ...defaultSizes, chunk: 1 } })
  await expect(building()).rejects.toMatchObject({
    ...{ status: 502, code: 'originChanged', retryable: true },
    message: expect.stringContaining(`the "${names.c}" with "id" "${last}" had another label or id at first`),
  })
  const ends = (await building()).map(({ statement }) => statement).filter((text) => text.includes('MERGE (b:'))
  expect(ends).toEqual([expect.stringContaining(`MERGE (b:\`${names.c}\``)])
})

test('a node whose identity changes after its relationship was found by its own id fails the build', async () => {
  const own = ['g', 'h', 'i', 'j', 'k', 'l'] // more than the parts in flight
  const relationships = own.map((grn) => edge(0, 0, grn))
  await createOrigin(from, { nodes: people.map(node), relationships }, names)
  const fields = { metadata: true, relationshipIdField: 'grn', relationshipIds: own, preventCleanup: true }
  const building = build(fields, once([relabelled('p0')]), { sizes: { ...defaultSizes, chunk: 1 } })
  await expect(building).rejects.toMatchObject({ code: 'originChanged' })
})

test('the relationships of a missing id are not removed once a node with that id has been seen', async () => {
  await createOrigin(from, { nodes: people.map(node), relationships: [] }, names)
  const change = once([merged('new'), link('p0', 'new', 'g1')])
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
  const change = once([removed(first), merged(first), link(last, first, 'again')])
  // One part, which is full after the cleanups of the first thousand nodes.
  const fields = { originIds: ['root'], toLayer: ['GEN_U>'], relationships: ['GEN_T'] }
  const pairs = await build(fields, change, { batchSize: 500 })
  await run(from, `MATCH (n:${names.a}) DETACH DELETE n`)
  const cleanups = pairs.filter(({ parameters }) => parameters.baseId === first)
  const drawn = pairs.filter(({ parameters }) => parameters.b_id === first)
  expect([cleanups.length, drawn.length]).toEqual([1, 0])
})
