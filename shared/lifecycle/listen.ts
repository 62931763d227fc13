import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from '../observability/log.ts'
import { drainable } from './drain.ts'
import type { Releases } from './releases.ts'

const patience = {
  /** Longer than load balancers keep an idle connection, or they would send a request into one that closes. */
  idleMs: 65_000,
  headersMs: 66_000,
  /** Time for the largest body from a slow client; one that is slower holds the connection for nothing. */
  requestMs: 120_000,
  /** Nothing goes either way: a client that does not read its answer, or is gone. Longer than any answer takes to begin. */
  stuckMs: 120_000,
  checkedEveryMs: 5_000,
  drainMs: 1_000,
  graceMs: 9_000,
}

/** Serves until released: then requests under way are answered first, for `graceMs` at most. */
export async function listen(
  app: RequestListener,
  { host, port }: { host: string; port: number },
  log: Logger,
  releases: Releases,
  given: Partial<typeof patience> = {},
): Promise<void> {
  const { idleMs, headersMs, requestMs, stuckMs, checkedEveryMs, drainMs, graceMs } = { ...patience, ...given }
  const timeouts = { keepAliveTimeout: idleMs, headersTimeout: headersMs, requestTimeout: requestMs }
  const server = createServer({ ...timeouts, connectionsCheckingInterval: checkedEveryMs }, app)
  server.timeout = stuckMs
  const drain = drainable(server, log, { drainMs, graceMs })
  server.listen(port, host)
  await once(server, 'listening')
  releases.add('http server', server, drain, graceMs + 1_000)
  log.info({ host, port: (server.address() as AddressInfo).port }, 'listening')
}
