import { type Driver, int } from 'neo4j-driver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, inSlices, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { uniqueness } from '../../../packet/cypher/schema.ts'
import { stringifyLossless } from '../../../packet/lossless-json.ts'
import { type Pair, parsePart } from '../../../packet/parts/parse-part.ts'
import type { OriginSettings } from '../../../shared/config/config.ts'
import { buildPacket } from '../../../shared/publish/build-packet.ts'
import { listSelections } from '../../../shared/publish/select/list-selections.ts'
import type { IdList } from '../../../shared/read/internal-ids.ts'
import type { PublishRequest } from '../../../shared/request/fields.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { replayInOrder } from '../../support/replay/replay-in-order.ts'
import { shuffled } from '../../support/values/shuffle.ts'

const { signal } = new AbortController()

/** Parameters whose keep-lists are sorted: they come in the order in which the origin sends relationships. */
const withSets = (parameters: Pair['parameters']) =>
  Object.fromEntries(
    Object.entries(parameters).map(([key, value]) => [
      key,
      key.startsWith('ids_') && Array.isArray(value) ? value.map((one) => stringifyLossless(one)).sort() : value,
    ]),
  )

/** How a selection is listed and built in this process, in lists of 500 nodes. */
function selecting(version: '3.5' | '5', address: Neo4jAddress, originPolicy: OriginSettings) {
  const at = database(address, '', '')
  const syntax = version === '5' ? 'dollar' : 'braces'

  const requestOf = (fields: object): PublishRequest => {
    const { dbUrl, credentials } = at
    const parsed = parsePublishRequest({ dbUrl, credentials, returnOnly: true, metadata: true, ...fields })
    expect(parsed.issues).toEqual([])
    return parsed.request
  }

  async function list(requests: readonly PublishRequest[], most = 1_000_000) {
    const listed: { at: number; nodes: IdList }[] = []
    const take = (place: number, nodes: IdList) => void listed.push({ at: place, nodes })
    const limits = { limitSeconds: 60, nodesAtOnce: 500, most: { nodes: most, what: 'allowed here' } }
    return { ...(await listSelections(requests, { originPolicy, signal, take, ...limits })), listed }
  }

  async function build(requests: readonly PublishRequest[], listed?: readonly (IdList | null)[]) {
    const raw: Pair[] = []
    const built = await buildPacket(
      { requests, listed, syntax, batchSize: 5_000, maxPairs: 1e6, limitSeconds: 60, spentSeconds: 0, acceptedAt: 5 },
      {
        originPolicy,
        sink: async ({ bytes }) => {
          raw.push(...parsePart(bytes.toString()))
        },
        signal,
        onProgress() {},
      },
    )
    const texts = raw.map(({ statement, parameters }) => stringifyLossless([statement, withSets(parameters)]))
    return { raw, pairs: texts.sort(), report: built.report }
  }

  const byHand = (ids: readonly string[], fields: object) =>
    build(inSlices(ids, 500).map((originIds) => requestOf({ originIds, ...fields })))

  return { requestOf, list, build, byHand }
}

/** Registers the tests of selections, built in this process, on one version of Neo4j. */
export function testSelections(version: '3.5' | '5', address: Neo4jAddress, originPolicy: OriginSettings): void {
  const driver = openDriver(address)
  afterAll(() => driver.close())
  const title = (text: string) => `${text}, on Neo4j ${version}`
  const { requestOf, list, build, byHand } = selecting(version, address, originPolicy)

  async function select(fields: object, between: () => Promise<unknown> = async () => {}) {
    const { requests, report, listed } = await list([requestOf(fields)])
    await between()
    const [request] = requests as [PublishRequest]
    const built = await build(
      listed.map(() => request),
      listed.map(({ nodes }) => nodes),
    )
    return { ...built, listing: report.read().selection, nodes: listed.map(({ nodes }) => nodes.length) }
  }

  const code = (problem: string) => expect.objectContaining({ code: problem })

  test(title('a selected graph has the pairs of the same ids listed by hand'), async () => {
    const { a, b, ids, types } = await drawGraph(driver, version)
    const mappedIndices = { DEFAULT_INDEX: a, DEFAULT_ID_FIELD: 'id', [b]: 'key' }
    const options = { searchIdField: 'id', timestampRelationships: true, timestampProperty: 'stamp' }
    const hand = { ...options, mappedIndices, relationships: types.map((type) => `${type}>`) }
    const expected = [
      ...(await byHand(ids.a, hand)).pairs,
      ...(await byHand(ids.b, { ...hand, index: b })).pairs,
    ].sort()
    const star = { ...options, relationships: types.map((type) => `${type}>`) }
    for (const asked of [[{ label: '*' }], [{ label: a }, { label: b }, { label: a, where: { even: true } }]]) {
      const selected = await select({ select: asked, mappedIndices, ...star })
      expect(selected.pairs).toEqual(expected)
      expect(selected.listing).toMatchObject({ nodes: ids.a.length + ids.b.length, indices: [] })
      expect(selected.report.selection).toBeUndefined()
    }
  })

  test(title('constraints stand for absent mappedIndices, and a label with two is refused'), async () => {
    const [one, two, none] = [uniqueName('One'), uniqueName('Two'), uniqueName('None')]
    for (const [label, property] of [
      [one, 'odd `id'],
      [two, 'b'],
      [two, 'a'],
    ] as const) {
      await run(driver, uniqueness(label, property)[version])
    }
    await run(driver, `CREATE (:\`${one}\` {\`odd \`\`id\`: 'x'})-[:T]->(:\`${two}\` {a: 1, b: 2}), (:\`${none}\`)`)
    const selected = await select({ select: [{ label: one }] })
    expect(selected.pairs.map((pair) => JSON.parse(pair)[1])).toEqual([{ id: 'x', p_0: 'x' }])
    expect(selected.listing?.indices).toContainEqual({ label: one, property: 'odd `id' })
    await expect(list([requestOf({ select: [{ label: one }, { label: two }] })])).rejects.toThrow(
      `select[1].label: two properties of "${two}" are unique, "a" and "b"; give mappedIndices`,
    )
    await expect(list([requestOf({ select: [{ label: none }] })])).rejects.toThrow(
      `select[0].label: no constraint of the origin makes one property of "${none}" unique; give mappedIndices`,
    )
  })

  test(title('a node with two labels that constraints identify has no identity without mappedIndices'), async () => {
    const [one, other] = [uniqueName('One'), uniqueName('Other')]
    await run(driver, uniqueness(one, 'id')[version])
    await run(driver, uniqueness(other, 'id')[version])
    await run(driver, `CREATE (:\`${one}\` {id: 'single'}), (:\`${one}\`:\`${other}\` {id: 'both'})`)
    const asked = { select: [{ label: one }] }
    await expect(select(asked)).rejects.toThrow('bears no label, or several, that mappedIndices names')
    const skipping = await select({ ...asked, onUnpublishable: 'skip' })
    expect(skipping.pairs.map((pair) => JSON.parse(pair)[1].id)).toEqual(['single'])
    const { mappedIndices } = database(address, one, 'id', { [other]: 'id' })
    const told = await select({ ...asked, mappedIndices })
    expect(told.pairs.map((pair) => JSON.parse(pair)[1].id).sort()).toEqual(['both', 'single'])
  })

  test(title('a selection of nothing, of too much, and of unknown names is refused'), async () => {
    const [label, empty] = [uniqueName('Few'), uniqueName('Empty')]
    await run(driver, `UNWIND range(1, 5) AS i CREATE (:\`${label}\` {id: i, group: i % 2})`)
    await run(driver, `CREATE (n:\`${empty}\`) REMOVE n:\`${empty}\` DELETE n`)
    const { mappedIndices } = database(address, label, 'id', { [empty]: 'id', Gone: 'id' })
    const refused = (fields: object, most?: number) => list([requestOf({ mappedIndices, ...fields })], most)
    await expect(refused({ select: [{ label: empty }] })).rejects.toThrow(code('unselectable'))
    await expect(refused({ select: [{ label, where: { group: 7 } }] })).rejects.toThrow(code('nothingSelected'))
    await expect(refused({ select: [{ label: 'Gone' }] })).rejects.toThrow(
      /^select\[0\]\.label: the origin has no label/,
    )
    await expect(refused({ select: [{ label, where: { [uniqueName('p')]: 1 } }] })).rejects.toThrow(
      /^select\[0\]\.where\.p\w+: the origin has no property/,
    )
    await expect(refused({ select: [{ label }], maxNodes: 4 })).rejects.toThrow(
      'maxNodes: the origin has more nodes than the 4 of maxNodes',
    )
    const where = { group: [0, 1] }
    await expect(refused({ select: [{ label, where }], maxNodes: 4 })).rejects.toThrow(code('tooManySelected'))
    await expect(refused({ select: [{ label, where }] }, 4)).rejects.toThrow(
      'select: the origin has more nodes than allowed here',
    )
    expect((await select({ mappedIndices, select: [{ label, where }], maxNodes: 5 })).pairs).toHaveLength(5)
  })

  test(title('values match as ids do: a canonical integer in a string also matches the integer'), async () => {
    const label = uniqueName('Kinds')
    const values = { int: int(5), text: '5', float: 5.5, yes: true, other: '05' }
    for (const [id, v] of Object.entries(values))
      await run(driver, `CREATE (:\`${label}\` {id: $id, v: $v})`, { id, v })
    const { mappedIndices } = database(address, label, 'id')
    const idsOf = async (v: unknown) =>
      (await select({ mappedIndices, select: [{ label, where: { v } }] })).pairs.map((pair) => JSON.parse(pair)[1].id)
    expect((await idsOf('5')).sort()).toEqual(['int', 'text'])
    expect(await idsOf(5)).toEqual(['int'])
    expect(await idsOf(['05', 5.5])).toHaveLength(2)
    expect(await idsOf([true])).toEqual(['yes'])
  })

  test(
    title('what is deleted, created or relabelled after the listing is left out or published as it is'),
    async () => {
      const [label, other] = [uniqueName('Moves'), uniqueName('Other')]
      await run(driver, `UNWIND range(1, 50) AS i CREATE (:\`${label}\` {id: i, keep: i <> 3})`)
      const { mappedIndices } = database(address, label, 'id', { [other]: 'id' })
      const asked = { mappedIndices, select: [{ label, where: { keep: true } }], relationships: ['T'] }
      const selected = await select(asked, async () => {
        await run(driver, `MATCH (n:\`${label}\`) WHERE n.id <= 10 DETACH DELETE n`)
        // Nodes of others may get the internal ids of the deleted ones.
        await run(driver, `UNWIND range(1, 30) AS i CREATE (:\`${other}\` {id: -i, keep: true})`)
        await run(driver, `MATCH (n:\`${label}\`) WHERE n.id = 11 SET n:\`${other}\` REMOVE n:\`${label}\``)
        await run(driver, `MATCH (n:\`${label}\`) WHERE n.id = 12 SET n.keep = false`)
        await run(driver, `CREATE (:\`${label}\` {id: 100, keep: true})`)
      })
      const reached = selected.pairs.filter((pair) => pair.includes('MERGE')).map((pair) => JSON.parse(pair)[1].id)
      const published = reached.filter((id) => id !== 100).sort((a, b) => a - b)
      expect(published).toEqual(Array.from({ length: 38 }, (_, index) => 13 + index))
      // The new node may have got the internal id of a listed one: then it is selected, too.
      expect(49 - published.length - (reached.length - published.length)).toBe(selected.report.selection?.gone)
      // No cleanup speaks of a node that is gone.
      const cleaned = selected.pairs.filter((pair) => !pair.includes('MERGE')).map((pair) => JSON.parse(pair)[1].baseId)
      expect(cleaned.filter((id) => id !== 100).sort((a, b) => a - b)).toEqual(published)
    },
  )

  test(title('nodes without an identity fail the publish, or are counted by label'), async () => {
    const label = uniqueName('Bare')
    await run(driver, `CREATE (:\`${label}\` {id: 1}), (:\`${label}\`), (:\`${label}\` {name: 'x'})`)
    const { mappedIndices } = database(address, label, 'id')
    const asked = { mappedIndices, select: [{ label }] }
    await expect(select(asked)).rejects.toThrow(code('unpublishable'))
    const { report, pairs } = await select({ ...asked, onUnpublishable: 'skip' })
    expect([report.skipped.nodes, report.selection?.withoutIdentity, pairs.length]).toEqual([
      2,
      [{ label, nodes: 2 }],
      1,
    ])
  })
}

/**
 * Registers the test of a whole graph, on a database that is this test's alone.
 */
export function testWholeGraph(
  name: string,
  version: '3.5' | '5',
  address: Neo4jAddress,
  originPolicy: OriginSettings,
) {
  const driver = openDriver(address)
  afterAll(() => driver.close())
  const { list, build, byHand, requestOf } = selecting(version, address, originPolicy)

  let graph: Awaited<ReturnType<typeof drawGraph>>
  beforeAll(async () => {
    await run(driver, 'MATCH (n) DETACH DELETE n')
    graph = await drawGraph(driver, version)
  })

  test(`every type and label of ${name} replay into the same graph`, async () => {
    const { a, b, ids, types } = graph
    const mappedIndices = { DEFAULT_INDEX: a, DEFAULT_ID_FIELD: 'id', [b]: 'key' }
    // A packet without relationship ids has one of several parallel relationships.
    await run(driver, 'MATCH ()-[r {w: 2}]->() DELETE r')
    await run(driver, 'MATCH (x)-[r]->(x) WITH x, collect(r) AS all FOREACH (r IN tail(all) | DELETE r)')
    const before = await readGraph(driver)
    const whole = { select: [{ label: '*' }], mappedIndices, relationships: ['*'] }
    const { requests, listed } = await list([requestOf(whole)])
    const selected = await build(
      listed.map(() => requests[0] as PublishRequest),
      listed.map(({ nodes }) => nodes),
    )
    const hand = { mappedIndices, relationships: types }
    const listedByHand = [...(await byHand(ids.a, hand)).pairs, ...(await byHand(ids.b, { ...hand, index: b })).pairs]
    expect(new Set(selected.pairs)).toEqual(new Set(listedByHand))
    await run(driver, 'MATCH (n) DETACH DELETE n')
    await replayInOrder(driver, shuffled(selected.raw, 7))
    expect(differences(before, await readGraph(driver))).toEqual([])
  })

  const byConstraints = { select: [{ label: '*' }], relationships: ['*'] }

  test(`constraints identify every node of ${name} that has one of their labels, and labels without nodes may have several`, async () => {
    const unused = uniqueName('Unused')
    for (const property of ['a', 'b']) await run(driver, uniqueness(unused, property)[version])
    const { b } = graph
    await run(driver, `MATCH (n:\`${b}\`) WHERE size(labels(n)) = 2 REMOVE n:\`${b}\``)
    const before = await readGraph(driver)
    const { requests, listed } = await list([requestOf(byConstraints)])
    const selected = await build(
      listed.map(() => requests[0] as PublishRequest),
      listed.map(({ nodes }) => nodes),
    )
    await run(driver, 'MATCH (n) DETACH DELETE n')
    await replayInOrder(driver, shuffled(selected.raw, 8))
    expect(differences(before, await readGraph(driver))).toEqual([])
    await run(driver, `CREATE (:\`${unused}\` {a: 1, b: 1})`)
    await expect(list([requestOf(byConstraints)])).rejects.toThrow(`two properties of "${unused}" are unique`)
    await run(driver, `MATCH (n:\`${unused}\`) DELETE n`)
  })

  test(`a node of ${name} that no constraint identifies fails the publish, or is counted`, async () => {
    const bare = uniqueName('Bare')
    await run(driver, `CREATE (:\`${bare}\`), (:\`${bare}\`), (), (:PacketsState)`)
    await expect(list([requestOf(byConstraints)])).rejects.toThrow(
      `no constraint of the origin identifies its 2 nodes with the label "${bare}": give mappedIndices`,
    )
    const { report } = await list([requestOf({ ...byConstraints, onUnpublishable: 'skip' })])
    expect(report.read().selection).toMatchObject({
      nodes: 1_240,
      withoutIdentity: [
        { label: bare, nodes: 2 },
        { label: '', nodes: 1 },
      ],
    })
    await run(driver, 'MATCH (n) DETACH DELETE n')
  })
}

/** 1,200 nodes of one label, and 40 of another, some with both; self-loops, parallel relationships and two types. */
async function drawGraph(driver: Driver, version: '3.5' | '5') {
  const [a, b] = [uniqueName('A'), uniqueName('B')]
  const types = [uniqueName('T'), uniqueName('odd `T>')]
  const [first, second] = types.map((type) => `\`${type.replaceAll('`', '``')}\``)
  for (const [label, property] of [
    [a, 'id'],
    [b, 'key'],
  ] as const)
    await run(driver, uniqueness(label, property)[version])
  await run(
    driver,
    `UNWIND range(1, 1200) AS i CREATE (:\`${a}\` {id: CASE WHEN i % 3 = 0 THEN i ELSE 'i' + i END, even: i % 2 = 0})`,
  )
  await run(driver, `UNWIND range(1, 40) AS i CREATE (:\`${b}\` {key: 'k' + i})`)
  await run(driver, `MATCH (n:\`${a}\`) WHERE n.id IN range(3, 30) SET n:\`${b}\`, n.key = 'both' + n.id`)
  await run(
    driver,
    `MATCH (x:\`${a}\`) WHERE x.even WITH x ORDER BY id(x) LIMIT 300 MATCH (y:\`${b}\`) WHERE y.key IN ['k1', 'k2']
     CREATE (x)-[:${first} {w: 1}]->(y), (x)-[:${first} {w: 2}]->(y), (y)-[:${second}]->(x), (x)-[:${second}]->(x)`,
  )
  return {
    a,
    b,
    types: types.map((type) => `\`${type.replaceAll('`', '``')}\``),
    ids: {
      a: Array.from({ length: 1_200 }, (_, index) => ((index + 1) % 3 === 0 ? `${index + 1}` : `i${index + 1}`)),
      b: Array.from({ length: 40 }, (_, index) => `k${index + 1}`),
    },
  }
}
