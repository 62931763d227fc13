import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
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

/** So much of a request's head is read, for the application to say what is too large. */
const maxHeaderSize = 48 * 1024

/** Answers what the parser cannot read. `response` is that of a request whose body it is. */
export type OnUnreadable = (error: Unreadable, socket: Duplex, response: ServerResponse | undefined) => void
export type Unreadable = Error & { code?: string; rawPacket?: Buffer }

/**
 * Serves until released: then requests under way are answered first, for `graceMs` at most. Also requests that Node would
 * answer itself, without a body: those without a host or with an expectation.
 */
export async function listen(
  app: RequestListener,
  { host, port }: { host: string; port: number },
  log: Logger,
  releases: Releases,
  given: Partial<typeof patience> & { onUnreadable?: OnUnreadable } = {},
): Promise<void> {
  const { idleMs, headersMs, requestMs, stuckMs, checkedEveryMs, drainMs, graceMs } = { ...patience, ...given }
  const timeouts = { keepAliveTimeout: idleMs, headersTimeout: headersMs, requestTimeout: requestMs }
  const reading = { maxHeaderSize, requireHostHeader: false, connectionsCheckingInterval: checkedEveryMs }
  const server = createServer({ ...timeouts, ...reading }, app)
  server.timeout = stuckMs
  server.maxHeadersCount = 0 // Node drops those beyond
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  const { drain, underWayOn } = drainable(server, log, { drainMs, graceMs })
  const { onUnreadable } = given
  if (onUnreadable) server.on('clientError', (error, socket) => onUnreadable(error, socket, underWayOn(socket)))
  server.listen(port, host)
  await once(server, 'listening')
  releases.add('http server', server, drain, graceMs + 1_000)
  log.info({ host, port: (server.address() as AddressInfo).port }, 'listening')
}
