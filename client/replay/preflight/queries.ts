import { type Connection, inSession } from '../run/connection.ts'
import { uninterfered } from '../run/retry.ts'
import { type ConstraintSyntax, constraintSyntax } from './constraints.ts'

/** Runs one query. @returns its rows by column. */
export const allRows = (
  connection: Connection,
  query: string,
  parameters: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Record<string, unknown>[]> =>
  uninterfered(signal, () =>
    inSession(connection, async (session) => {
      const { records } = await session.run(query, parameters)
      return records.map((record) => record.toObject())
    }),
  )

/** Runs a query and rolls back. @returns the syntax of the server, which its version of Bolt shows */
export const probe = (connection: Connection, query: string, signal: AbortSignal): Promise<ConstraintSyntax> =>
  uninterfered(signal, () =>
    inSession(connection, async (session) => {
      const transaction = await session.beginTransaction()
      const { summary } = await transaction.run(query).finally(() => transaction.close())
      // The `getMinor` of the driver 6.3 returns the major version.
      const [major = 0, minor = 0] = String(summary.server.protocolVersion ?? '')
        .split('.')
        .map(Number)
      return constraintSyntax({ major, minor })
    }),
  )
