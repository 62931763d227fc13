import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from '../observability/log.ts'
import type { Releases } from './releases.ts'

// Longer than load balancers keep an idle connection, or they would send a request into one that closes.
const idleMs = 65_000

// Time for the largest body from a slow client; one that is slower holds the connection for nothing.
const requestMs = 120_000

/** Serves until released: then no new connections, and requests under way are answered first, within the release's limit. */
export async function listen(
  app: RequestListener,
  { host, port }: { host: string; port: number },
  log: Logger,
  releases: Releases,
): Promise<void> {
  const server = createServer(
    { keepAliveTimeout: idleMs, headersTimeout: idleMs + 1_000, requestTimeout: requestMs },
    app,
  )
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
