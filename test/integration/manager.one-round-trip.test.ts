import { afterAll, expect, inject, test, vi } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { openManagerDatabase } from '../../shared/models/database.ts'
import { newIdentity } from '../../shared/models/records.ts'
import { createModels, type Models } from '../../shared/models/repository.ts'
import { managerVersion, nodeType, property, propertyImpl } from '../../shared/models/resources.ts'
import { byGrn, byKey } from '../../shared/models/selector.ts'
import { prepareModels } from '../support/models/open-models.ts'
import { startProxy } from '../support/servers/tcp-proxy.ts'

// A new database compiles each query once, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const { neo4j } = inject('stack')
const { username: user, password } = neo4j
const prepared = prepareModels(neo4j)
const { by, change, newModel } = prepared
const proxy = await startProxy(neo4j.boltUrl)
afterAll(() => proxy.stop())

// Records every statement and forwards it to the database.
const sent: string[] = []
const database = openManagerDatabase({ url: proxy.boltUrl, user, password }, { warn() {} })
afterAll(() => database.close())
const models: Models = createModels({
  read: (statement) => {
    sent.push(statement.query)
    return database.read(statement)
  },
  write: (statement) => {
    sent.push('a write')
    return database.write(statement)
  },
  close: () => database.close(),
})

/**
 * The fewest statements and round trips of `work` on a connection that is already open. After a pause the database looks
 * at its constraints, and a constraint of another test makes it try again.
 */
async function costOf(work: () => Promise<unknown>) {
  await work()
  const costs: { statements: number; turns: number }[] = []
  for (let round = 0; round < 3; round++) {
    const before = { statements: sent.length, turns: proxy.turns() }
    await work()
    costs.push({ statements: sent.length - before.statements, turns: proxy.turns() - before.turns })
  }
  return costs.toSorted((a, b) => a.turns - b.turns)[0] as (typeof costs)[0]
}

const oneRoundTrip = { statements: 1, turns: 1 }

test('a version of 1,000 properties is listed in one round trip, complete and in order', async () => {
  const { version } = await newModel()
  const driver = openDriver(neo4j)
  afterAll(() => driver.close())
  const keys = Array.from({ length: 1_000 }, (_, index) => `k${String(index).padStart(4, '0')}`)
  // Created by one query: a thousand creates would be slow and are not what is measured.
  const rows = keys.toReversed().map((key) => ({ ...newIdentity(property, by), key, uniqueKey: version.value + key }))
  await run(
    driver,
    `MATCH (v:GraphPacketsRecord {grn: $grn})
UNWIND $rows AS row
CREATE (p:GraphPacketsRecord:GraphPacketsProperty)-[:GRAPH_PACKETS_PART_OF]->(v)
SET p = row`,
    { grn: version.value, rows },
  )
  const listed = await models.parts(property, version)
  expect(listed.map(({ key }) => key)).toEqual(
    Array.from({ length: 1_000 }, (_, i) => `k${String(i).padStart(4, '0')}`),
  )
  expect(await costOf(() => models.parts(property, version))).toEqual(oneRoundTrip)
})

test('every operation is one statement and one round trip', async () => {
  const { manager, version } = await newModel()
  const made = await models.createPart(property, version, { key: 'a' }, by)
  const type = byGrn(nodeType, (await models.createPart(nodeType, version, { key: 'A' }, by)).grn)
  const { grn } = await models.implement(type, made.grn, {}, by)
  let count = 0
  const key = () => `k${count++}`
  const work: Record<string, () => Promise<unknown>> = {
    find: () => models.find(byGrn(property, made.grn)),
    'find by key': () => models.find(byKey(property, version.value, 'a')),
    versions: () => models.parts(managerVersion, manager),
    implemented: () => models.implemented(type),
    constraints: () => models.constraints(version),
    'create a manager': () => models.createManager(`${version.value}${key()}`, by),
    'create a version': () => models.createVersion(manager, null, by),
    create: () => models.createPart(property, version, { key: key() }, by),
    update: () => models.update(byGrn(property, made.grn), { displayValue: key() }, change),
    'change flags': () => models.update(byGrn(propertyImpl, grn), { unique: true }, change),
  }
  const costs: Record<string, object> = {}
  for (const [name, does] of Object.entries(work)) costs[name] = await costOf(does)
  expect(costs).toEqual(Object.fromEntries(Object.keys(work).map((name) => [name, oneRoundTrip])))
})
