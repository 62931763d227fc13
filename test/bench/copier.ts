import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { pipeline } from 'node:stream/promises'
import type { Session } from 'neo4j-driver'
import { openDriver } from '../../dev/replay/neo4j.ts'
import type { Neo4jAddress } from '../../dev/stack/addresses.ts'

/** One copy of the graph from the origin to the target by other means than ours, in its own process. */
export interface CopierOrder {
  way: CopyWay
  /** The people to copy, with their relationships. */
  label: string
  origin: Neo4jAddress
  target: Neo4jAddress
  /** The command that runs cypher-shell, and its first arguments. */
  shell: { command: string; args: readonly string[] }
}

export type CopyWay = keyof typeof ways

const batchRows = 1_000

const ways = {
  /** A script as one would write it: while a batch is written, the next is read. */
  driver: async ({ label, origin, target }: CopierOrder) => {
    await using from = openDriver(origin)
    await using to = openDriver(target)
    const [source, sink] = [from.session(), to.session()]
    const merged = `MERGE (n:${label} {id: row.id}) SET n = row`
    await copyRows(source, `MATCH (n:${label}) RETURN properties(n) AS row`, sink, merged)
    const read = `MATCH (a:${label})-[r:KNOWS]->(b) RETURN {a: a.id, b: b.id, properties: properties(r)} AS row`
    const ends = `MATCH (a:${label} {id: row.a}) MATCH (b:${label} {id: row.b})`
    await copyRows(source, read, sink, `${ends} MERGE (a)-[r:KNOWS]->(b) SET r = row.properties`)
    await Promise.all([source.close(), sink.close()])
  },
  /** APOC's script for cypher-shell, as a stream into it. */
  apoc: async ({ label, origin, target, shell }: CopierOrder) => {
    await using from = openDriver(origin)
    const { command, args } = shell
    const child = spawn(command, [...args, '--non-interactive', '--format', 'plain', '-a', target.boltUrl], {
      env: { LC_ALL: 'C.UTF-8', NEO4J_USERNAME: target.username, NEO4J_PASSWORD: target.password },
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    const exited = once(child, 'exit')
    const session = from.session()
    await pipeline(exported(session, label), child.stdin)
    const [code] = await exited
    if (code !== 0) throw new Error(`cypher-shell: exit code ${code}`)
    await session.close()
  },
} satisfies Record<string, (order: CopierOrder) => Promise<void>>

async function copyRows(source: Session, read: string, sink: Session, write: string): Promise<void> {
  let written: Promise<unknown> = Promise.resolve()
  let rows: unknown[] = []
  const flush = async () => {
    const full = rows
    rows = []
    await written
    written = sink.executeWrite((transaction) => transaction.run(`UNWIND $rows AS row ${write}`, { rows: full }))
  }
  for await (const record of source.run(read)) {
    rows.push(record.get('row'))
    if (rows.length === batchRows) await flush()
  }
  await flush()
  await written
}

async function* exported(session: Session, label: string): AsyncGenerator<string> {
  const config = {
    stream: true,
    streamStatements: true,
    format: 'cypher-shell',
    ifNotExists: true,
    // The fastest setting: batches of 20 to 1,000 rows were tried, as parameters and in the text.
    useOptimizations: { type: 'UNWIND_BATCH_PARAMS', unwindBatchSize: 20n },
  }
  const query = `MATCH (n:${label}) OPTIONAL MATCH (n)-[r:KNOWS]->() RETURN n, r`
  const call = 'CALL apoc.export.cypher.query($query, null, $config) YIELD cypherStatements RETURN cypherStatements'
  for await (const record of session.run(call, { query, config })) yield `${record.get('cypherStatements')}\n`
}

if (process.env.COPIER_ORDER) {
  const order: CopierOrder = JSON.parse(process.env.COPIER_ORDER)
  await ways[order.way](order)
}
