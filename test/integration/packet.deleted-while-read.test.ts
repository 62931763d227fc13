import neo4j from 'neo4j-driver'
import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { type Origin, openOrigin } from '../../shared/origin/connect.ts'
import { readNodes } from '../../shared/publish/read/nodes.ts'
import { nothingLearned } from '../../shared/publish/read/properties.ts'
import { readRelationships } from '../../shared/publish/read/relationships.ts'
import { defaultSizes } from '../../shared/publish/read/sizes.ts'
import { planOf } from '../../shared/publish/request/plan.ts'
import { parsePublishRequest } from '../../shared/publish/request/rules.ts'

const address = inject('stack').neo4j
const { origin: settings } = readConfig('worker', inject('service').env)
const driver = openDriver(address)
const slow = neo4j.driver(address.boltUrl, neo4j.auth.basic(address.username, address.password), {
  useBigInt: true,
  fetchSize: 1,
})
afterAll(() => Promise.all([driver.close(), slow.close()]))

const count = 80

/** Draws `count` nodes, each with two relationships to a node of its own. */
async function draw() {
  const label = uniqueName('Leaving')
  const ends = `MATCH (a:${label} {id: 'n' + i}) CREATE (f:${label}Far {id: 'f' + i})`
  await run(driver, `UNWIND range(0, ${count - 1}) AS i CREATE (:${label} {id: 'n' + i, name: 'x'})`)
  await run(driver, `UNWIND range(0, ${count - 1}) AS i ${ends} CREATE (a)-[:HAS {at: i}]->(f), (a)-[:BARE]->(f)`)
  const found = await run(driver, `MATCH (n:${label}) RETURN id(n) ORDER BY toInteger(substring(n.id, 1))`)
  return { label, nodes: found.map(([id]) => Number(id)) }
}

/** What reads depend on; the origin sends one record at a time, and `change` runs after the first of each result. */
async function readingOf(label: string, fields: object, change: string) {
  const { request } = parsePublishRequest({ ...database(address, label, 'id'), originIds: ['n0'], ...fields })
  const opened = await openOrigin(request, settings, 60)
  const recordSizes: number[] = []
  const rowsWithin: Origin['rowsWithin'] = async (most, query, parameters, form) => {
    if (!form?.areGrouped) return opened.rowsWithin(most, query, parameters, form)
    const rows: unknown[][] = []
    const session = slow.session()
    for await (const record of session.run(query, parameters)) {
      const some: unknown[][] = record.get(0)
      rows.push(...some)
      if (recordSizes.push(some.length) === 1) await run(driver, change)
    }
    await session.close()
    return { rows, rowBytes: 100, largestBytes: 100 }
  }
  const reading = { origin: { ...opened, rowsWithin }, plan: planOf(request), ...nothingLearned() }
  return { reading: { ...reading, sizes: { ...defaultSizes, sample: 4 } }, recordSizes, close: opened.close }
}

const last = 'toInteger(substring(n.id, 1)) >= 40'

test('nodes deleted after they were found, but before their record was made, are left out', async () => {
  const { label, nodes } = await draw()
  const change = `MATCH (n:${label}) WHERE ${last} DETACH DELETE n`
  const { reading, recordSizes, close } = await readingOf(label, { metadata: true }, change)
  const rows = await readNodes(reading, nodes)
  expect(recordSizes).toEqual(Array(count / 8).fill(8))
  expect(rows?.map(({ keys }) => keys.ids)).toEqual(Array.from({ length: 40 }, (_, index) => [`n${index}`]))
  await close()
})

test.each([
  ['with properties', 'HAS', 'DELETE r', 40],
  ['with properties and their far ends', 'HAS', 'DETACH DELETE f', 40],
  ['without properties and their far ends', 'BARE', 'DETACH DELETE f', 40],
  // Nothing tells it from one that is still there: it is as it was found.
  ['without properties', 'BARE', 'DELETE r', count],
])('relationships %s deleted meanwhile: %s, %s', async (_, name, removal, left) => {
  for (const direction of ['out', 'both'] as const) {
    const { label, nodes } = await draw()
    const change = `MATCH (n:${label})-[r:${name}]->(f) WHERE ${last} ${removal}`
    const { reading, recordSizes, close } = await readingOf(label, { relationships: [`${name}>`] }, change)
    const rows = []
    for await (const group of readRelationships(reading, nodes, { type: name, direction })) rows.push(...group.rows)
    expect(recordSizes).toEqual(Array(count / 8).fill(8))
    expect(rows.map(({ isOutgoing }) => isOutgoing)).toEqual(Array(left).fill(true))
    await close()
  }
})
