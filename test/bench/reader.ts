import neo4j, { type Session } from 'neo4j-driver'
import { inSlices } from '../../dev/requests.ts'
import type { S3Address } from '../../dev/stack/addresses.ts'
import { apocSlice, idsOf, warmUpIds } from './graph.ts'
import { partStore } from './part-store.ts'
import type { Measured } from './results.ts'
import { countCpu, peakMegabytes } from './usage.ts'

/**
 * One measurement of an alternative way to read the data, in its own process: its order comes from the environment, its
 * result is the last line of output.
 */
export interface ReaderOrder {
  way: Way
  scale: number
  boltUrl: string
  username: string
  password: string
  databasePid: number
  /** The store for the ways that store what they read. */
  s3: S3Address
  bucket: string
}

export type Way = keyof typeof ways

/** Takes exported statements, each of which ends with `;` and a line feed. */
type Take = (statements: string) => Promise<void>

/** Returns the number of entities; each is one row or one statement. */
type Read = (session: Session, ids: readonly string[], isWarmUp: boolean, take: Take) => Promise<number>

const byIds = 'UNWIND $ids AS id MATCH (n:Person {id: id}) RETURN n'
const label = 'MATCH (n:Person)'
// This APOC version ignores `params`, so the ids are stored in the database; inlining them as literals would be slower.
const listed = (name: string) => `MATCH (list:Ids {name: '${name}'}) UNWIND list.ids AS id MATCH (n:Person {id: id})`
const justNodes = 'RETURN n'
const withRelationships = 'OPTIONAL MATCH (n)-[r:KNOWS]->() RETURN n, r'

const ways = {
  driver: async (session, ids) => {
    let rows = 0
    for (const slice of inSlices(ids, 500)) rows += await readNodes(session, byIds, { ids: slice })
    return rows
  },
  'driver-label': (session, _, isWarmUp) => readNodes(session, `${label} RETURN n${isWarmUp ? ' LIMIT 10000' : ''}`),
  'apoc-nodes': (session, _, isWarmUp) => exported(session, listed(isWarmUp ? 'warm' : 'all'), justNodes),
  'apoc-nodes-slices': (session, ids) => exportedInSlices(session, ids, justNodes),
  'apoc-relationships': (session, _, isWarmUp) =>
    exported(session, listed(isWarmUp ? 'warm' : 'all'), withRelationships),
  'apoc-relationships-slices': (session, ids) => exportedInSlices(session, ids, withRelationships),
  'apoc-nodes-stored': (session, _, isWarmUp, take) =>
    exported(session, listed(isWarmUp ? 'warm' : 'all'), justNodes, take),
  'apoc-nodes-slices-stored': (session, ids, _, take) => exportedInSlices(session, ids, justNodes, take),
  'apoc-relationships-stored': (session, _, isWarmUp, take) =>
    exported(session, listed(isWarmUp ? 'warm' : 'all'), withRelationships, take),
  'apoc-relationships-slices-stored': (session, ids, _, take) =>
    exportedInSlices(session, ids, withRelationships, take),
  'apoc-label': (session, _, isWarmUp) => exported(session, isWarmUp ? listed('warm') : label, justNodes),
  'apoc-label-relationships': (session, _, isWarmUp) =>
    exported(session, isWarmUp ? listed('warm') : label, withRelationships),
} satisfies Record<string, Read>

async function readNodes(session: Session, query: string, parameters: object = {}): Promise<number> {
  let rows = 0
  for await (const record of session.run(query, parameters)) if (record.get('n') !== null) rows++
  return rows
}

async function exportedInSlices(session: Session, ids: readonly string[], returned: string, take?: Take) {
  let entities = 0
  for (const index of inSlices(ids, apocSlice).keys()) {
    entities += await exported(session, listed(`slice ${index}`), returned, take)
  }
  return entities
}

/** Consumes the exported statements as a stream. @returns the number of exported nodes and relationships. */
async function exported(session: Session, found: string, returned: string, take?: Take): Promise<number> {
  const config = "{stream: true, useOptimizations: {type: 'NONE'}, format: 'plain'}"
  const call = `CALL apoc.export.cypher.query($query, null, ${config})`
  const yielded = 'YIELD nodes, relationships, cypherStatements'
  let entities = 0
  let statements = 0
  const query = `${call} ${yielded} RETURN nodes + relationships AS entities, cypherStatements`
  for await (const record of session.run(query, { query: `${found} ${returned}` })) {
    entities = record.get('entities').toNumber()
    const text: string = record.get('cypherStatements') ?? ''
    statements += text.length
    await take?.(text)
  }
  if (statements === 0) throw new Error('nothing was exported')
  return entities
}

if (process.env.READER_ORDER) {
  const order: ReaderOrder = JSON.parse(process.env.READER_ORDER)
  const { way, scale, boltUrl, username, password, databasePid } = order
  const driver = neo4j.driver(boltUrl, neo4j.auth.basic(username, password), { telemetryDisabled: true })
  const session = driver.session()
  const ids = idsOf(scale)
  const warm = partStore(order, 'warm')
  await ways[way](session, warmUpIds(ids), true, warm.take)
  await warm.end()
  const parts = partStore(order, way)
  const used = countCpu({ client: [process.pid], database: [databasePid] })
  const started = performance.now()
  const statements = await ways[way](session, ids, false, parts.take)
  await parts.end()
  const seconds = (performance.now() - started) / 1_000
  const { client, database } = used()
  const measured: Measured = {
    statements,
    seconds,
    clientCpu: client,
    databaseCpu: database,
    peakMB: peakMegabytes('self'),
  }
  await session.close()
  await driver.close()
  console.log(JSON.stringify(measured))
}
