import type { Connection } from '../run/connection.ts'

/** Runs one query. @returns its rows by column. */
export async function allRows(
  connection: Connection,
  query: string,
  parameters: Record<string, unknown> = {},
): Promise<Record<string, unknown>[]> {
  const session = connection.session()
  try {
    const { records } = await session.run(query, parameters)
    return records.map((record) => record.toObject())
  } finally {
    await session.close()
  }
}

/**
 * Creates a node and rolls back: refused where the user or the database may only read.
 * @returns the version of Bolt that the server speaks.
 */
export async function probeWrite(connection: Connection): Promise<{ major: number; minor: number }> {
  const session = connection.session()
  try {
    const transaction = await session.beginTransaction()
    const { summary } = await transaction.run('CREATE ()').finally(() => transaction.close())
    const version = summary.server.protocolVersion
    return { major: version?.getMajor() ?? 0, minor: version?.getMinor() ?? 0 }
  } finally {
    await session.close()
  }
}
