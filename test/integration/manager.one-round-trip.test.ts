import { afterAll, expect, inject, test } from 'vitest'
import { openManagerDatabase } from '../../shared/manager/database.ts'
import { createModels, type Models } from '../../shared/manager/repository.ts'
import { managerVersion, nodeType, property, propertyImpl } from '../../shared/manager/resources.ts'
import { byGrn, byKey } from '../../shared/manager/selector.ts'
import { openDriver, run } from '../support/neo4j.ts'
import { prepareModels } from '../support/open-models.ts'
import { startProxy } from '../support/tcp-proxy.ts'

const { neo4j } = inject('stack')
const { username: user, password } = neo4j
const prepared = prepareModels(neo4j)
const { by, change, newModel } = prepared
const proxy = await startProxy(neo4j.boltUrl)
afterAll(() => proxy.stop())

// Every statement that is sent is noted; none is kept from the database.
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

/** Statements and round trips of a piece of work, on a connection that is open already. */
async function costOf(work: () => Promise<unknown>) {
  await work()
  const quiet = await untilQuiet()
  const before = sent.length
  await work()
  return { statements: sent.length - before, turns: (await untilQuiet()) - quiet }
}

/** The connection is cleaned when it is given back, after the answer: that is one turn more for each. */
async function untilQuiet(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  let last = proxy.turns()
  const timer = setInterval(() => {
    if (proxy.turns() === last) resolve(last)
    last = proxy.turns()
  }, 200)
  return promise.finally(() => clearInterval(timer))
}

const oneRoundTrip = { statements: 1, turns: 2 }

test('a version of 1,000 properties is listed in one round trip, whole and in order', async () => {
  const { version } = await newModel()
  const driver = openDriver(neo4j)
  afterAll(() => driver.close())
  // The first is made as all are, the others are copies: what is measured is the reading.
  await models.createPart(property, version, { key: 'k0000' }, by)
  await run(
    driver,
    `MATCH (p:GraphPacketsProperty {key: 'k0000'})-[:GRAPH_PACKETS_PART_OF]->(v:GraphPacketsRecord {grn: $grn})
UNWIND range(1, 999) AS i
WITH p, v, i, 'k' + right('000' + toString(i), 4) AS key
CREATE (c:GraphPacketsRecord:GraphPacketsProperty)-[:GRAPH_PACKETS_PART_OF]->(v)
SET c = properties(p)
SET c.id = p.id + i, c.grn = p.grn + toString(i), c.key = key, c.uniqueKey = p.scope + key`,
    { grn: version.value },
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
