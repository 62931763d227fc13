import { afterAll, describe, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { readConfig } from '../../../shared/config/config.ts'
import { buildPacket } from '../../../shared/publish/build-packet.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'

const { neo4j, legacy } = inject('stack')
const { origin: originPolicy } = readConfig('worker', inject('service').env)

interface Statement {
  statement: string
  parameters: Record<string, unknown>
}

/** The upserts and cleanups of a packet of one node's relationships, and its report. */
async function publish(origin: Neo4jAddress, label: string, fields: object) {
  const { request } = parsePublishRequest({
    ...database(origin, label, 'id'),
    originIds: ['hub'],
    returnOnly: true,
    ...fields,
  })
  const statements: Statement[] = []
  const sink = async ({ bytes }: { bytes: Buffer }) => {
    statements.push(...JSON.parse(bytes.toString()).statements)
  }
  const limits = { batchSize: 5_000, maxPairs: 500_000, limitSeconds: 300, spentSeconds: 0, acceptedAt: 0 }
  const order = { requests: [request], syntax: 'dollar' as const, ...limits }
  const signal = new AbortController().signal
  const { report } = await buildPacket(order, { originPolicy, sink, signal, onProgress: () => {} })
  const upserts = statements.filter(({ statement }) => statement.includes('MERGE (a)-[r:'))
  const cleanups = statements.filter(({ statement }) => statement.includes('DELETE r'))
  return { upserts: upserts.map(({ parameters }) => parameters), cleanups, report }
}

const labelsOf = new Map<string, string>()

/** A hub with more relationships to one node than one read returns, half of them reversed, and 30 other neighbours. */
async function drawHub(address: Neo4jAddress): Promise<string> {
  const known = labelsOf.get(address.boltUrl)
  if (known) return known
  const driver = openDriver(address)
  afterAll(() => driver.close())
  const label = uniqueName('Hub')
  labelsOf.set(address.boltUrl, label)
  await run(driver, `UNWIND ['hub', 'far'] + range(1, 30) AS id CREATE (:${label} {id: id})`)
  const pair = `MATCH (a:${label} {id: 'hub'}), (b:${label} {id: 'far'})`
  // Relationship ids: all distinct but for nine that occur twice, one of them as an integer and as a float.
  const own = "CASE WHEN i = 1 THEN 7 WHEN i = 2 THEN 7.0 WHEN i < 21 THEN 'twice' + i / 2 ELSE 'r' + i END"
  for (let from = 0; from < 11_000; from += 5_500) {
    const each = `UNWIND range(${from + 1}, ${from + 5_500}) AS i`
    await run(driver, `${pair} ${each} CREATE (a)-[:KNOWS {at: i, grn: ${own}}]->(b)`)
    await run(driver, `${pair} ${each} CREATE (b)-[:KNOWS {at: -i, grn: 'back' + i}]->(a)`)
  }
  await run(
    driver,
    `MATCH (a:${label} {id: 'hub'}), (b:${label}) WHERE b.id > 0 CREATE (a)-[:KNOWS {at: 0, grn: b.id}]->(b)`,
  )
  return label
}

const origins = { 'Neo4j 5': neo4j, 'ids beyond 2^53': inject('largeIds'), 'Neo4j 3.5': legacy as Neo4jAddress }

describe.each(Object.entries(origins))('tens of thousands of parallel relationships, %s', (_, origin) => {
  test('tens of thousands of parallel relationships collapse to one in each direction', async () => {
    const label = await drawHub(origin === origins['ids beyond 2^53'] ? neo4j : origin)
    const { upserts, cleanups, report } = await publish(origin, label, { relationships: ['KNOWS'] })
    expect(upserts).toHaveLength(32)
    expect(report.collapsed).toBe(22_000 - 2)
    const driver = openDriver(origin)
    const least = await run(
      driver,
      `MATCH (a:${label} {id: 'hub'})-[r]-(:${label} {id: 'far'}) WITH startNode(r) AS s, min(toString(id(r))) AS least
       WITH collect(least) AS leasts MATCH (:${label} {id: 'hub'})-[r]-() WHERE toString(id(r)) IN leasts RETURN r.at`,
    )
    await driver.close()
    const published = upserts.flatMap(({ at }) => (at === 0 ? [] : [at]))
    expect(published.toSorted()).toEqual(least.map(([at]) => Number(at)).toSorted())
    expect(cleanups).toHaveLength(1)
  })

  test('tens of thousands of parallel relationships with own ids are distinguished, each published once', async () => {
    const label = await drawHub(origin === origins['ids beyond 2^53'] ? neo4j : origin)
    const fields = { relationships: ['KNOWS'], relationshipIdField: 'grn', deleteRelationshipById: true }
    const { upserts, report } = await publish(origin, label, fields)
    const ids = upserts.map(({ a_id, b_id, grn }) => `${a_id} ${b_id} ${grn}`)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength(22_030 - 9)
    expect(report.collapsed).toBe(9)
  })
})

test('parallel relationships beyond the row limit of a result are published', async () => {
  const driver = openDriver(neo4j)
  const label = uniqueName('Hub')
  await run(driver, `UNWIND ['hub', 'far'] AS id CREATE (:${label} {id: id})`)
  const pair = `MATCH (a:${label} {id: 'hub'}), (b:${label} {id: 'far'})`
  for (let from = 0; from < 210_000; from += 30_000) {
    await run(driver, `${pair} UNWIND range(${from + 1}, ${from + 30_000}) AS i CREATE (a)-[:KNOWS {at: i}]->(b)`)
  }
  await driver.close()
  const { upserts, report } = await publish(neo4j, label, { relationships: ['KNOWS>'] })
  expect([upserts.length, report.collapsed]).toEqual([1, 209_999])
})
