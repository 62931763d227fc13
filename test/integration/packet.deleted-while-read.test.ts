import neo4j from 'neo4j-driver'
import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { type Origin, openOrigin } from '../../shared/origin/connect.ts'
import { readNodes } from '../../shared/read/nodes.ts'
import { defaultSizes, nothingLearned } from '../../shared/read/reading.ts'
import { readRelationships } from '../../shared/read/relationships.ts'
import { planOf } from '../../shared/request/plan.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'
import { rowsOf } from '../support/origins/packstream.ts'

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

/** What reads depend on; the origin sends one row at a time, and `change` runs after the first of each result. */
async function readingOf(label: string, fields: object, change: string) {
  const { request } = parsePublishRequest({
    ...database(address, label, 'id', { [`${label}Far`]: 'id' }),
    originIds: ['n0'],
    ...fields,
  })
  const opened = await openOrigin(request, settings, 60)
  let changes = 0
  const rows: Origin['rows'] = async (query, parameters, mostBytes) => {
    if (/LIMIT 4$/.test(query)) return opened.rows(query, parameters, mostBytes)
    const found: unknown[][] = []
    const session = slow.session()
    for await (const record of session.run(query, parameters)) {
      if (found.push([...record.values()]) === 1) {
        await run(driver, change)
        changes++
      }
    }
    await session.close()
    return { rows: rowsOf(found), rowBytes: 100 }
  }
  const reading = { origin: { ...opened, rows }, plan: planOf(request), ...nothingLearned() }
  return { reading: { ...reading, sizes: { ...defaultSizes, probe: 4 } }, changes: () => changes, close: opened.close }
}

const last = 'toInteger(substring(n.id, 1)) >= 40'

test('nodes deleted after the read has begun, but before their rows were sent, are left out', async () => {
  const { label, nodes } = await draw()
  const change = `MATCH (n:${label}) WHERE ${last} DETACH DELETE n`
  const { reading, changes, close } = await readingOf(label, { metadata: true }, change)
  const found = await readNodes(reading, nodes)
  expect(changes()).toBe(1)
  // In the order of internal ids, which a database uses again.
  expect(found?.elements.map(({ properties }) => properties.value('id')).sort()).toEqual(
    Array.from({ length: 40 }, (_, index) => `n${index}`).sort(),
  )
  await close()
})

test.each([
  ['with properties', 'HAS', 'DELETE r'],
  ['with properties and their far ends', 'HAS', 'DETACH DELETE f'],
  ['without properties and their far ends', 'BARE', 'DETACH DELETE f'],
  ['without properties', 'BARE', 'DELETE r'],
])('relationships %s deleted meanwhile are left out: %s, %s', async (_, name, removal) => {
  for (const direction of ['out', 'both'] as const) {
    const { label, nodes } = await draw()
    const change = `MATCH (n:${label})-[r:${name}]->(f) WHERE ${last} ${removal}`
    const { reading, changes, close } = await readingOf(label, { relationships: [`${name}>`] }, change)
    const rows = []
    for await (const { found } of readRelationships(reading, nodes, { type: name, direction }))
      rows.push(...found.elements)
    expect(changes()).toBe(1)
    expect(rows.map(({ isOutgoing }) => isOutgoing)).toEqual(Array(40).fill(true))
    expect(new Set(rows.map(({ far }) => far.properties.value('id'))).size).toBe(40)
    await close()
  }
})

test('a relationship that is deleted once its row was sent displaces no other from a limited read', async () => {
  const { label, nodes } = await draw()
  const deleted = `MATCH (:${label} {id: "n50"})-[r:HAS]->(f)`
  // A far end that nothing identifies: the origin is asked again whether the relationship exists.
  await run(driver, `${deleted} REMOVE f:${label}Far`)
  const { reading, close } = await readingOf(label, { relationships: ['HAS>'] }, 'RETURN 1')
  const { origin } = reading
  const rows: Origin['rows'] = async (...asked) => {
    const sent = await origin.rows(...asked)
    if (/LIMIT 61 .*[^4]$/.test(asked[0])) await run(driver, `${deleted} DELETE r`)
    return sent
  }
  const few = { ...reading, origin: { ...origin, rows }, sizes: { ...reading.sizes, group: 60 } }
  const found: unknown[] = []
  for await (const group of readRelationships(few, nodes, { type: 'HAS', direction: 'out' }))
    found.push(...group.found.elements.map(({ far }) => far.properties.value('id')))
  const others = Array.from({ length: count }, (_, index) => `f${index}`).filter((id) => id !== 'f50')
  expect(found.sort()).toEqual(others.sort())
  await close()
})
