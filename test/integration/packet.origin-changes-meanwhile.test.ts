import { expect, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { uniqueName } from '../../dev/requests.ts'
import { defaultSizes } from '../../shared/read/reading.ts'
import { openChangingOrigin, people } from '../support/origins/changing-origin.ts'
import { testOriginChanges } from './suites/origin-changes.ts'

const origin = openChangingOrigin('FewMoving', 1_900_000n)
const { names, from, dirty, edge, draw, once, expectOneOutcome, build } = origin
const { merged, link, removed, relabelled } = origin.changes

testOriginChanges(origin, { existence: 3, identities: 3 })

test('a node whose identity changes between two reads of a request fails the build, which may be tried again', async () => {
  await draw([])
  const read = await run(from, `MATCH (n:\`${names.a}\`) RETURN n.id ORDER BY id(n)`)
  const [first, last] = [String(read[0]), String(read.at(-1))]
  await run(from, link(first, last, 'g'))
  const change = once([relabelled(last)])
  const fields = { originIds: people, metadata: true, relationships: ['GEN_T>'] }
  const building = () => build(fields, change, { sizes: { ...defaultSizes, chunk: 1 } })
  await expect(building()).rejects.toMatchObject({
    status: 502,
    code: 'originChanged',
    retryable: true,
    message: expect.stringContaining(`the "${names.c}" with "id" "${last}" had another label or id at first`),
  })
  const ends = (await building()).map(({ statement }) => statement).filter((text) => text.includes('MERGE (b:'))
  expect(ends).toEqual([expect.stringContaining(`MERGE (b:\`${names.c}\``)])
})

test('a node whose identity changes after its relationship was found by its own id fails the build', async () => {
  const own = ['g', 'h', 'i', 'j', 'k', 'l'] // more than the parts in flight
  const relationships = own.map((grn) => edge(0, 0, grn))
  await draw(relationships)
  const fields = { metadata: true, relationshipIdField: 'grn', relationshipIds: own, preventCleanup: true }
  const building = build(fields, once([relabelled('p0')]), { sizes: { ...defaultSizes, chunk: 1 } })
  await expect(building).rejects.toMatchObject({ code: 'originChanged' })
})

test('the relationships of a missing id are not removed once a node with that id has been seen', async () => {
  await draw([])
  const change = once([merged('new'), link('p0', 'new', 'g1')])
  const fields = { originIds: [...people, 'new'], metadata: true, relationships: ['GEN_T'] }
  const pairs = await build(fields, change)
  const { nodes, relationships } = await expectOneOutcome(pairs, dirty)
  const ends = relationships.map(({ from, to }) => [nodes[from]?.properties.id, nodes[to]?.properties.id])
  expect(ends).toContainEqual(['p0', 'new'])
})

test('the cleanup of a missing id comes after all other pairs of its request', async () => {
  await draw([edge(0, 1, 'g')])
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
  // Nodes take their turns by internal id, and Neo4j uses the ids of deleted nodes again.
  const read = await run(from, `MATCH (n:${names.y}) WHERE n.id STARTS WITH '${label}' RETURN n.id ORDER BY id(n)`)
  const [first, last] = [String(read[0]), String(read.at(-1))]
  const change = once([removed(first), merged(first), link(last, first, 'again')])
  // One part, which is full after the cleanups of the first thousand nodes.
  const fields = { originIds: ['root'], toLayer: ['GEN_U>'], relationships: ['GEN_T'] }
  const pairs = await build(fields, change, { batchSize: 500 })
  await run(from, `MATCH (n:${names.a}) DETACH DELETE n`)
  const cleanups = pairs.filter(({ parameters }) => parameters.baseId === first)
  const drawn = pairs.filter(({ parameters }) => parameters.b_id === first)
  expect([cleanups.length, drawn.length]).toEqual([1, 0])
})
