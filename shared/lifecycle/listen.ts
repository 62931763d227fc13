import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from '../observability/log.ts'
import { createDrain } from './drain.ts'
import type { Releases } from './releases.ts'

const defaultTimeouts = {
  /**
   * Time that a connection stays open without a request. Beyond this limit the connection closes. Load balancers keep
   * idle connections for less: otherwise they could send a request on a closing connection.
   */
  idleMs: 65_000,
  /** Time in which the head of a request arrives. Beyond this limit the answer is `408 requestTimeout`. */
  headersMs: 66_000,
  /**
   * Time in which a request arrives. Beyond this limit the answer is `408 requestTimeout`. A slow client can send the
   * largest body within it.
   */
  requestMs: 120_000,
  /**
   * Time without data in either direction. Beyond this limit the connection closes: the client is gone or does not
   * read. Every answer begins sooner.
   */
  stuckMs: 120_000,
  checkedEveryMs: 5_000,
  drainMs: 1_000,
  /** Time that requests in progress have when the process stops. Beyond this limit their connections close. */
  graceMs: 9_000,
}

/**
 * Bytes of a head that Node reads. Beyond this limit the answer is `431 headTooLarge`, and the connection closes. Node
 * reads more than the application allows, so that the application can report a head that is too large.
 */
const maxHeaderSize = 48 * 1024

/** Answers a request that the parser rejects. `response` is the response in progress if its body was being read. */
export type OnUnreadable = (error: UnreadableRequest, socket: Duplex, response: ServerResponse | undefined) => void
export type UnreadableRequest = Error & { code?: string; rawPacket?: Buffer }

/**
 * Serves until released, then answers requests in progress, for `graceMs` at most. Also passes requests without a Host
 * header, or with an Expect header, to the application: Node would answer them itself, without a body.
 */
export async function listen(
  app: RequestListener,
  { host, port }: { host: string; port: number },
  log: Logger,
  releases: Releases,
  options: Partial<typeof defaultTimeouts> & { onUnreadable?: OnUnreadable; name?: string } = {},
): Promise<void> {
  const { idleMs, headersMs, requestMs, stuckMs, checkedEveryMs, drainMs, graceMs } = { ...defaultTimeouts, ...options }
  const timeouts = { keepAliveTimeout: idleMs, headersTimeout: headersMs, requestTimeout: requestMs }
  const reading = { maxHeaderSize, requireHostHeader: false, connectionsCheckingInterval: checkedEveryMs }
  const server = createServer({ ...timeouts, ...reading }, app)
  server.timeout = stuckMs
  server.maxHeadersCount = 0 // 0: no limit, or Node would drop excess headers
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  const { drain, responseOn } = createDrain(server, log, { drainMs, graceMs })
  const { onUnreadable, name } = options
  if (onUnreadable) server.on('clientError', (error, socket) => onUnreadable(error, socket, responseOn(socket)))
  server.listen(port, host)
  await once(server, 'listening')
  releases.add(name ?? 'http server', server, drain, graceMs + 1_000)
  const message = name === undefined ? 'listening' : `${name} listening`
  log.info({ host, port: (server.address() as AddressInfo).port }, message)
}
