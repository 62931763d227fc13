import { expect, inject, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { VersionDocument } from '../../../shared/models/version-document.ts'
import { openOrigin } from '../../../shared/origin/connect.ts'
import { createRelationshipSchema, hasUniqueness, readIndexes } from '../../../shared/read/schema.ts'
import { identifiesByOneLook } from '../../integration/suites/labels-read-once.ts'
import { testSelections, testWholeGraph } from '../../integration/suites/selected.ts'
import { openOther, testOtherDatabase } from '../../replay/suites/other-database.ts'
import { fillVersion, prepareModels } from '../../support/models/open-models.ts'
import { openDatabase } from '../../support/servers/other-database.ts'

const name = 'Neo4j 3.4'
const address = (await openDatabase('3.4.18')) ?? expect.unreachable()
const other = await openOther(address, 'Oldest', 1_550_000n, 'braces')
const { client, driver, originPolicy: policy } = other
const models = prepareModels(address)
const isLong = inject('isLong')

testWholeGraph(name, '3.5', address, policy)
testSelections('3.5', address, policy)
testOtherDatabase(other, { name, durations: 3, cases: isLong ? 200 : 4, undone: isLong ? 20 : 2 })

test('Neo4j 3.4 speaks Bolt 2', async () => {
  const { protocolVersion } = await driver.getServerInfo()
  expect(String(protocolVersion)).toBe('2.0')
})

identifiesByOneLook('Neo4j 3.4', address)

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
