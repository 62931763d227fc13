import type { Connection } from '../run/connection.ts'
import { createGate } from '../run/gate.ts'
import { withRetries } from '../run/retry.ts'

/**
 * Runs one query, and again if another transaction interfered: even a constraint may fail to be created because another
 * one is, on Neo4j 3.5. A target that cannot be reached is not waited for. @returns its rows by column.
 */
export async function allRows(
  connection: Connection,
  query: string,
  parameters: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Record<string, unknown>[]> {
  return uninterfered(signal, async () => {
    const session = connection.session()
    try {
      const { records } = await session.run(query, parameters)
      return records.map((record) => record.toObject())
    } finally {
      await session.close()
    }
  })
}

/**
 * Creates a node and rolls back: refused where the user or the database may only read.
 * @returns the version of Bolt that the server speaks.
 */
export async function probeWrite(
  connection: Connection,
  signal: AbortSignal,
): Promise<{ major: number; minor: number }> {
  return uninterfered(signal, async () => {
    const session = connection.session()
    try {
      const transaction = await session.beginTransaction()
      const { summary } = await transaction.run('CREATE ()').finally(() => transaction.close())
      const version = summary.server.protocolVersion
      return { major: version?.getMajor() ?? 0, minor: version?.getMinor() ?? 0 }
    } finally {
      await session.close()
    }
  })
}

const uninterfered = <T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> =>
  withRetries(attempt, { gate: createGate(), signal, onRetry() {}, reconnectMs: 0 })
