import neo4j, { type Driver } from 'neo4j-driver'
import { extendBolt } from '../../packet/packstream/extend-bolt.ts'
import { type ConnectionGuard, guardConnections, type InactivityLimits } from './connection-guard.ts'
import type { DbUrl } from './db-url.ts'

/** The connections to an origin as one user. One publish uses them at a time. */
export interface Link {
  driver: Driver
  guard: ConnectionGuard
  /** In milliseconds of `performance.now()`. */
  openedAt: number
  /** Whether the server speaks Bolt 3 or earlier; absent until it was asked. */
  legacy?: boolean
  /** Whether the server has answered a query whose answer is known. */
  isChecked?: boolean
}

// Streamed rows are consumed as they arrive, so at most this many are in flight.
const fetchSize = 1_000

/** Makes a link that connects when it is first used, and to `address` only. */
export function connectTo(url: DbUrl, address: string, credentials: string, limits: InactivityLimits): Link {
  const host = url.host.includes(':') ? `[${url.host}]` : url.host
  const driver = neo4j.driver(
    `${url.encrypted ? 'bolt+s' : 'bolt'}://${host}:${url.port}`,
    neo4j.auth.basic(...splitCredentials(credentials)),
    {
      useBigInt: true,
      fetchSize,
      maxConnectionPoolSize: 3,
      connectionTimeout: 10_000,
      connectionAcquisitionTimeout: 20_000,
      userAgent: 'graph-packets',
      telemetryDisabled: true,
    },
  )
  extendBolt(driver)
  return { driver, guard: guardConnections(driver, address, limits), openedAt: performance.now() }
}

/** Whether the server speaks Bolt 3 or earlier. */
export async function isLegacy({ driver, guard }: Link): Promise<boolean> {
  const server = await guard.waitFor(driver.getServerInfo())
  return (server.protocolVersion as unknown as number) < 4
}

/** Username and password; the password may contain colons. The request's schema has checked the format. */
export function splitCredentials(credentials: string): [username: string, password: string] {
  const text = Buffer.from(credentials.replace(/^Basic /, ''), 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return [text.slice(0, colon), text.slice(colon + 1)]
}
