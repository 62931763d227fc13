import type { Transaction } from 'neo4j-driver'
import { knownQuery, wrongIn } from '../../../packet/read-back/known-answers.ts'
import { ReplayError } from '../errors.ts'
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

/**
 * Runs a query and rolls back, if the target answers a query whose answer is known as every supported database does.
 * @returns the syntax of the server, which its version of Bolt shows
 */
export const probe = (connection: Connection, query: string, signal: AbortSignal): Promise<ConstraintSyntax> =>
  uninterfered(signal, () =>
    inSession(connection, async (session) => {
      const transaction = await session.beginTransaction()
      const { summary } = await answering(transaction)
        .then(() => transaction.run(query))
        .finally(() => transaction.close())
      // The `getMinor` of the driver 6.3 returns the major version.
      const [major = 0, minor = 0] = String(summary.server.protocolVersion ?? '')
        .split('.')
        .map(Number)
      return constraintSyntax({ major, minor })
    }),
  )

/** @throws ReplayError if the server answers wrongly what a packet depends on, as FalkorDB does */
async function answering(transaction: Transaction): Promise<void> {
  const { records } = await transaction.run(knownQuery)
  const wrong = records[0] === undefined ? 'no row' : wrongIn([...records[0].values()])
  if (wrong !== null)
    throw new ReplayError('refused', `the target cannot be used, because it answers wrongly: ${wrong}`)
}
