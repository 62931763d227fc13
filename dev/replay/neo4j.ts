import { setTimeout as delay } from 'node:timers/promises'
import neo4j, { type Driver, Neo4jError } from 'neo4j-driver'
import { extendBolt } from '../../packet/packstream/extend-bolt.ts'
import type { Neo4jAddress } from '../stack/stack.ts'

/** A driver that reads integers as BigInt, without rounding. The caller closes it. */
export function openDriver({ boltUrl, username, password }: Neo4jAddress): Driver {
  const auth = neo4j.auth.basic(username, password)
  const driver = neo4j.driver(boltUrl, auth, { useBigInt: true, telemetryDisabled: true })
  extendBolt(driver)
  return driver
}

const minuteMs = 60_000
const pauseMs = 50

// EntityNotFound: a query over all nodes meets a node that another transaction deletes at the same time.
const codesThatMayPass = /^Neo\.(TransientError\.|ClientError\.Statement\.EntityNotFound$)/
const mayPass = (error: unknown) => error instanceof Neo4jError && codesThatMayPass.test(error.code)

/**
 * Repeats work that another transaction disturbed: a constraint that is created at the same time aborts every write.
 */
export async function untilUndisturbed<Result>(work: () => Promise<Result>, longestMs = minuteMs): Promise<Result> {
  for (const deadline = Date.now() + longestMs; ; await delay(pauseMs)) {
    try {
      return await work()
    } catch (error) {
      if (!mayPass(error) || Date.now() > deadline) throw error
    }
  }
}

/** Runs one query in its own session, and again if another transaction interfered. @returns its rows. */
export const run = (driver: Driver, query: string, parameters: Record<string, unknown> = {}): Promise<unknown[][]> =>
  untilUndisturbed(async () => {
    const session = driver.session()
    try {
      const { records } = await session.run(query, parameters)
      return records.map((record) => [...record.values()])
    } finally {
      await session.close()
    }
  })

export async function clear(driver: Driver): Promise<void> {
  await run(driver, 'MATCH (n) DETACH DELETE n')
}
