import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { differences, readGraph } from '../../../dev/replay/compare-graphs.ts'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import type { VersionDocument } from '../../../shared/models/version-document.ts'
import { openOrigin } from '../../../shared/origin/connect.ts'
import { createRelationshipSchema, hasUniqueness, readIndexes } from '../../../shared/publish/read/schema.ts'
import { identifiesByOneLook } from '../../integration/suites/labels-read-once.ts'
import { checkCases } from '../../replay/run/check-cases.ts'
import { checkUndo } from '../../replay/run/check-undo.ts'
import { openWorldOf } from '../../replay/run/open-world.ts'
import { drawMatrix } from '../../replay/type-matrix.ts'
import { everyKind } from '../../support/graphs/every-kind.ts'
import { fillVersion, prepareModels } from '../../support/models/open-models.ts'
import { startLargeIds } from '../../support/origins/large-ids.ts'
import { ownService } from '../../support/programs/own-service.ts'
import { answeredPairs } from '../../support/replay/answered-pairs.ts'
import { replayInOrder } from '../../support/replay/replay-in-order.ts'
import { replayed, sourceOf, undone, verified } from '../../support/replay/replaying.ts'
import { openOldest } from '../../support/servers/oldest-neo4j.ts'
import { shuffled } from '../../support/values/shuffle.ts'

const { neo4j, ...stack } = inject('stack')
const [target, legacy] = [stack.target as Neo4jAddress, stack.legacy as Neo4jAddress]
const isLong = inject('isLong')

const address = await openOldest()
const { stop, ...elsewhere } = await startLargeIds(address)
afterAll(stop)
const origins = [address, elsewhere, inject('largeIds')].map(({ boltUrl }) => new URL(boltUrl).host)
const { service, client } = await ownService({ workers: 1, origins })
const { env } = service
const from = { origin: address, elsewhere, target: legacy, client, env }
const into = { origin: neo4j, elsewhere: inject('largeIds'), target: address, client, env }
const worlds = [
  await openWorldOf(from, 'FromOldest', 1_550_000n, 'braces'),
  await openWorldOf(into, 'IntoOldest', 1_650_000n, 'braces'),
]
const undoWorld = await openWorldOf(into, 'UndoOldest', 1_750_000n, 'braces')
const [driver, five] = [openDriver(address), openDriver(target)]
afterAll(() => Promise.all([driver.close(), five.close()]))
const models = prepareModels(address)
const directory = await mkdtemp(join(tmpdir(), 'oldest-'))
afterAll(() => rm(directory, { recursive: true }))
const policy = worlds[0]?.originPolicy ?? expect.unreachable()

test('Neo4j 3.4 speaks Bolt 2', async () => {
  const { protocolVersion } = await driver.getServerInfo()
  expect(String(protocolVersion)).toBe('2.0')
})

test.each([
  ['braces', driver],
  ['dollar', driver],
  ['dollar', five],
] as const)('values of every type, published from Neo4j 3.4 in %s, replay exactly', async (parameterSyntax, copy) => {
  const label = uniqueName('Matrix')
  const originIds = await drawMatrix(driver, label, true)
  const answer = await client.post('/1.0/publish/', {
    ...database(address, label, 'id'),
    originIds,
    metadata: true,
    relationships: ['T'],
    returnOnly: true,
    parameterSyntax,
  })
  const pairs = shuffled(answeredPairs(answer), 1)
  const expected = await readGraph(driver, label)
  expect(expected.nodes.length).toBe(2 * originIds.length - 1)
  await run(driver, `MATCH (n:${label}) DETACH DELETE n`)
  await replayInOrder(copy, pairs)
  expect(differences(expected, await readGraph(copy, label))).toEqual([])
})

test('generated cases replay from Neo4j 3.4 into Neo4j 3.5, and from Neo4j 5 into Neo4j 3.4', {
  timeout: 240_000,
}, async () => {
  for (const world of worlds) await checkCases(world, { cases: isLong ? 200 : 4 }, () => {})
})

identifiesByOneLook('Neo4j 3.4', address)

test('generated cases are replayed into Neo4j 3.4 and undone', { timeout: 240_000 }, async () => {
  const wanted = isLong ? 20 : 2
  const { undone: count } = await checkUndo(undoWorld, address, wanted, Math.floor(Math.random() * 2 ** 31))
  expect(count).toBe(wanted)
})

test('every kind of statement is replayed, verified and undone on Neo4j 3.4', async () => {
  const label = uniqueName('Kind')
  await run(driver, `CREATE (:${label} {id: 'a', secret: 1})-[:OLD]->(:${label} {id: 'x'})`)
  const before = await readGraph(driver, label)
  const undoDirectory = join(directory, label)
  const source = sourceOf(...everyKind(label))
  await replayed(source, address, { createConstraints: true, undoDirectory, windowBytes: 1 })
  expect(await verified(source, address)).toMatchObject({ differing: 0, missingConstraints: [] })
  expect(differences(before, await readGraph(driver, label))).not.toEqual([])
  await undone(undoDirectory, address)
  expect(differences(before, await readGraph(driver, label))).toEqual([])
})

test('a node of Neo4j 3.4 with 12,000 relationships is published whole', async () => {
  const label = uniqueName('Hub')
  const query = `CREATE (a:${label} {id: 'hub'}) WITH a UNWIND range(1, 12000) AS i CREATE (a)-[:T]->(:${label} {id: i})`
  await run(driver, query)
  const request = { ...database(address, label, 'id'), originIds: ['hub'], metadata: true, relationships: ['T'] }
  const org = uniqueName('org')
  await client.post(`/1.0/publish/${org}`)
  const { status } = await client.post('/1.0/publish/', { ...request, orgName: org, fileName: 'hub' })
  expect(status).toBe(200)
  const { body } = await client.get(`/1.0/publish/${org}/hub/manifest`)
  expect(body).toMatchObject({ statements: { nodeUpsert: 1, relationshipUpsert: 12_000, cleanup: 1 } })
})

test('the constraints, types and indexes of Neo4j 3.4 are found', async () => {
  const [label, type] = [uniqueName('P'), uniqueName('T')]
  await run(driver, `CREATE (:${label} {id: 'a'})-[:${type}]->(:${label} {id: 'b'})`)
  await run(driver, `CREATE CONSTRAINT ON (n:${label}) ASSERT n.id IS UNIQUE`)
  await run(driver, `CREATE INDEX ON :${label}(grn)`)
  await run(driver, 'CALL db.awaitIndexes(60)')
  const origin = await openOrigin(database(address, label, 'id'), policy, 60)
  const unique = [await hasUniqueness(origin, label, 'id'), await hasUniqueness(origin, label, 'grn')]
  expect(unique).toEqual([true, false])
  expect(await createRelationshipSchema(origin).types()).toContain(type)
  const indexes = (await readIndexes(origin, 'NODE'))?.filter(({ of }) => of === label)
  expect(indexes?.map(({ property }) => property).sort()).toEqual(['grn', 'id'])
  await origin.close()
})

test('a read of Neo4j 3.4 that reaches the time limit ends with originTimeLimit', async () => {
  const origin = await openOrigin(database(address, 'P', 'id'), policy, 1)
  const endless = 'UNWIND range(1, 100000000) AS x UNWIND range(1, 1000) AS y RETURN sum(x * y)'
  await expect(origin.rows(endless, {})).rejects.toMatchObject({ code: 'originTimeLimit' })
  await origin.close()
})

test('what Neo4j 3.4 lacks or refuses is refused by name', async () => {
  const label = uniqueName('P')
  const session = driver.session()
  await session.run(`CREATE (:${label} {id: 'a'})`)
  const bookmarks = session.lastBookmarks()
  await session.close()
  const request = { ...database(address, label, 'id'), originIds: ['a'], metadata: true, returnOnly: true }
  const errorOf = async (more: object) => (await client.post('/1.0/publish/', { ...request, ...more })).body.error
  expect(await errorOf({ bookmarks })).toBeNull()
  expect(await errorOf({ bookmarks: ['no-bookmark'] })).toContain('422 Unprocessable Entity: bookmarks: rejected')
  expect(await errorOf({ database: 'neo4j' })).toContain('this origin speaks Bolt 3 or earlier')
  const wrong = `Basic ${Buffer.from('neo4j:wrong').toString('base64')}`
  expect(await errorOf({ credentials: wrong })).toContain('the origin database refused the credentials')
})

test('models work on Neo4j 3.4', async () => {
  const { name, manager, version } = await models.newModel()
  const nodeTypes = [{ key: 'Person', properties: [{ key: 'id', unique: true }] }]
  const document = { properties: [{ key: 'id', dataType: 'String' }], nodeTypes } as unknown as VersionDocument
  const changed = { ...document, properties: [{ key: 'id', dataType: 'Integer' }] } as unknown as VersionDocument
  expect(await models.models.imported(version, document, models.by)).toMatchObject({ created: 3, changed: 0 })
  expect(await models.models.imported(version, changed, models.by)).toMatchObject({ created: 0, changed: 1 })
  await fillVersion(models, version, 3)
  expect(await models.models.constraints(version, { limit: 100, after: null })).not.toEqual([])
  await expect(models.newModel(name)).rejects.toMatchObject({ status: 409 })
  await models.models.remove(manager, null)
  expect(await models.nodes()).toEqual({ all: 0, orphans: 0 })
})
