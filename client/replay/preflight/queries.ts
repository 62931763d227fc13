import type { Connection } from '../run/connection.ts'
import { uninterfered } from '../run/retry.ts'

/** Runs one query. @returns its rows by column. */
export function allRows(
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

/** The version of Bolt that a server speaks. */
export interface Protocol {
  major: number
  minor: number
}

/**
 * Creates a node and rolls back. This fails if the user may only read, or the database is read-only.
 * @returns the version of Bolt that the server speaks.
 */
export const probeWrite = (connection: Connection, signal: AbortSignal): Promise<Protocol> =>
  probe(connection, 'CREATE ()', signal)

/** The same for a target that need only be read. */
export const probeRead = (connection: Connection, signal: AbortSignal): Promise<Protocol> =>
  probe(connection, 'RETURN 1', signal)

function probe(connection: Connection, query: string, signal: AbortSignal): Promise<Protocol> {
  return uninterfered(signal, async () => {
    const session = connection.session()
    try {
      const transaction = await session.beginTransaction()
      const { summary } = await transaction.run(query).finally(() => transaction.close())
      const version = summary.server.protocolVersion
      return { major: version?.getMajor() ?? 0, minor: version?.getMinor() ?? 0 }
    } finally {
      await session.close()
    }
  })
}
