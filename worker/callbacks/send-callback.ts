import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { CallbackSettings } from '../../shared/config/config.ts'
import type { HttpsUrl } from '../../shared/origin/https-url.ts'
import { callbackAddress } from '../../shared/queue/callback-address.ts'

/** What a receiver answered, without the body. */
export interface CallbackAnswer {
  status: number
  /** How long to wait from now; null if the receiver gives no time. */
  retryAfterMs: number | null
}

/** Bytes of the answer to a callback. Beyond this limit the worker closes the connection; the status counts. */
const readBytes = 1_024
/**
 * Informational answers to a callback before the final one. Beyond this limit the attempt fails, and the worker tries
 * again later. Each costs CPU time, and a receiver could send any number.
 */
const mostInformational = 4
/**
 * Bytes of the head of the answer to a callback. Beyond this limit the attempt fails, and the worker tries again later.
 */
const maxHeaderSize = 8 * 1_024
// Every attempt opens a new connection, to an address that was checked just before.
const agent = new Agent({ keepAlive: false, maxCachedSessions: 0 })

/**
 * Sends a callback: one POST to a checked address, without following redirects. @throws the reason why the receiver did
 * not answer within `limitMs`, and callbackUrlRefused if its host now resolves to an address that is not allowed.
 */
export async function sendCallback(
  url: HttpsUrl,
  { headers, body }: { headers: Record<string, string>; body: string },
  settings: CallbackSettings,
  limitMs: number,
): Promise<CallbackAnswer> {
  const signal = AbortSignal.timeout(limitMs)
  const address = await callbackAddress(url, settings)
  // Do not resolve the name a second time. TLS still requires a certificate for it.
  const lookup: LookupFunction = (_name, { all }, done) => {
    const family = isIP(address)
    if (all) done(null, [{ address, family }])
    else done(null, address, family)
  }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { host, port, path } = url
  const to = { method: 'POST', host, port, path, headers, agent, lookup, rejectUnauthorized: true }
  const sent = request({ ...to, signal, maxHeaderSize })
  let informational = 0
  sent.on('information', () => {
    if (++informational > mostInformational) sent.destroy(new Error('too many informational answers'))
  })
  sent.on('response', resolve).on('error', reject)
  // If the receiver changes the protocol (101), the connection closes without an error.
  sent.on('close', () => reject(new Error('the connection was closed before an answer')))
  sent.end(body)
  const response = await promise
  await readAtMost(response, readBytes).catch(() => {}) // the status is known, whatever follows
  return { status: response.statusCode as number, retryAfterMs: retryAfterOf(response.headers['retry-after']) }
}

/** Reads the body up to a size: to some receivers, a short answer that nobody reads to its end looks like a failure. */
async function readAtMost(response: IncomingMessage, limitBytes: number): Promise<void> {
  let bytes = 0
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length
    // Leaving the loop destroys the response and its connection.
    if (bytes > limitBytes) return
  }
}

/** Parses a Retry-After header: seconds or an HTTP date. */
function retryAfterOf(header: string | undefined): number | null {
  if (header === undefined) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) && ms > 0 ? ms : null
}
