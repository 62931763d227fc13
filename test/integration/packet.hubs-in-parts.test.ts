import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { buildPacket } from '../../shared/publish/build-packet.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'

const { neo4j } = inject('stack')
const { origin: originPolicy } = readConfig('worker', inject('service').env)
const driver = openDriver(neo4j)
afterAll(() => driver.close())

// More relationships than one read returns at one of three nodes, and some between any two of the three.
const [label, fans] = [uniqueName('Star'), 24_000]
await run(driver, `CREATE CONSTRAINT FOR (n:${label}) REQUIRE n.id IS UNIQUE`)
await run(driver, `UNWIND ['s1', 's2', 's3'] + range(1, ${fans}) AS id CREATE (:${label} {id: id})`)
const stars = `MATCH (a:${label} {id: 's1'}), (b:${label} {id: 's2'}), (c:${label} {id: 's3'})`
await run(driver, `${stars} CREATE (a)-[:KNOWS {at: 1}]->(b), (b)-[:KNOWS]->(c), (c)-[:KNOWS]->(a), (b)-[:KNOWS]->(b)`)
await run(driver, `MATCH (a:${label} {id: 's1'}), (n:${label}) WHERE n.id > 0 CREATE (n)-[:KNOWS {at: n.id}]->(a)`)
await run(driver, `MATCH (a:${label} {id: 's1'}), (n:${label}) WHERE n.id > 0 AND n.id <= 100 CREATE (n)-[:KNOWS]->(a)`)

interface Statement {
  statement: string
  parameters: Record<string, unknown>
  metadata: { collapsed?: number } | null
}

test.each(['KNOWS', '<KNOWS'])('each relationship of a node with very many (%s) is published once', async (type) => {
  const { request } = parsePublishRequest({
    ...database(neo4j, label, 'id'),
    originIds: ['s1', 's2', 's3'],
    relationships: [type],
    returnOnly: true,
  })
  const statements: Statement[] = []
  const sink = async ({ bytes }: { bytes: Buffer }) => {
    statements.push(...JSON.parse(bytes.toString()).statements)
  }
  const limits = { batchSize: 5_000, maxPairs: 100_000, limitSeconds: 300, spentSeconds: 0, acceptedAt: 0 }
  const order = { requests: [request], syntax: 'dollar' as const, ...limits }
  const signal = new AbortController().signal
  await buildPacket(order, { originPolicy, sink, signal, onProgress: () => {} })
  const upserts = statements.filter(({ statement }) => statement.startsWith('MERGE'))
  const ends = upserts.map(({ parameters }) => `${parameters.a_id} ${parameters.b_id}`)
  expect(new Set(ends).size).toBe(fans + 4)
  expect(ends).toHaveLength(fans + 4)
  const cleanups = statements.filter(({ statement }) => statement.startsWith('MATCH'))
  const kept = cleanups.map(({ parameters: { baseId, ...lists } }) => [baseId, Object.values(lists).flat().length])
  const isUndirected = type === 'KNOWS'
  expect(Object.fromEntries(kept)).toEqual({
    s1: fans + 1 + (isUndirected ? 1 : 0),
    s2: isUndirected ? 3 : 2,
    s3: isUndirected ? 2 : 1,
  })
  expect(statements.reduce((sum, { metadata }) => sum + (metadata?.collapsed ?? 0), 0)).toBe(100)
})
