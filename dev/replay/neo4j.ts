import { setTimeout as delay } from 'node:timers/promises'
import neo4j, { type Driver, Neo4jError } from 'neo4j-driver'
import type { Neo4jAddress } from '../stack/stack.ts'

/** A driver that reads integers as BigInt, without rounding. The caller closes it. */
export const openDriver = ({ boltUrl, username, password }: Neo4jAddress): Driver =>
  neo4j.driver(boltUrl, neo4j.auth.basic(username, password), { useBigInt: true, telemetryDisabled: true })

const mostAttempts = 10

const mayPass = (error: unknown) => error instanceof Neo4jError && error.code.startsWith('Neo.TransientError.')

/**
 * Runs one query in its own session, and again if another one interfered: a constraint that is created at the same time
 * aborts every write. @returns its rows.
 */
export async function run(
  driver: Driver,
  query: string,
  parameters: Record<string, unknown> = {},
): Promise<unknown[][]> {
  for (let attempt = 1; ; attempt++) {
    const session = driver.session()
    try {
      const { records } = await session.run(query, parameters)
      return records.map((record) => [...record.values()])
    } catch (error) {
      if (!mayPass(error) || attempt === mostAttempts) throw error
      await delay(10 * attempt)
    } finally {
      await session.close()
    }
  }
}

export async function clear(driver: Driver): Promise<void> {
  await run(driver, 'MATCH (n) DETACH DELETE n')
}
