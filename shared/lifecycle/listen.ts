import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from '../observability/log.ts'
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
}

/** Serves until released: then no new connections, and requests under way are answered first, within the release's limit. */
export async function listen(
  app: RequestListener,
  { host, port }: { host: string; port: number },
  log: Logger,
  releases: Releases,
  { idleMs, headersMs, requestMs, stuckMs, checkedEveryMs } = patience,
): Promise<void> {
  const timeouts = { keepAliveTimeout: idleMs, headersTimeout: headersMs, requestTimeout: requestMs }
  const server = createServer({ ...timeouts, connectionsCheckingInterval: checkedEveryMs }, app)
  server.timeout = stuckMs
  server.listen(port, host)
  await once(server, 'listening')
  releases.add('http server', server, async (it) => {
    const closed = once(it, 'close')
    it.close()
    // Connections fall idle as their requests are answered.
    const closing = setInterval(() => it.closeIdleConnections(), 50)
    await closed.finally(() => clearInterval(closing))
  })
  log.info({ host, port: (server.address() as AddressInfo).port }, 'listening')
}
