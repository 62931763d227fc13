import { hash } from 'node:crypto'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https, { type RequestOptions } from 'node:https'
import { type Signer, type UnsignedRequest, unsignedPayload } from './signer.ts'
import type { StoreClock } from './store-clock.ts'

/** A request to the store was inactive for too long. */
export class StoreStalled extends Error {}

/** The store answered that it failed. */
export class StoreFailed extends Error {
  /** The store's code, or the status of an answer without one. */
  readonly code: string

  constructor(statusCode: number, body: string) {
    const [, code = `HTTP ${statusCode}`] = /<Code>([\w.-]{1,100})<\/Code>/.exec(body) ?? []
    const [, words = 'no message'] = /<Message>([^<]{1,1000})/.exec(body) ?? []
    super(words)
    this.code = code
  }
}

/** Statuses for which the minio client drops the answer, and with it the store's code and words. */
const isDropped = (status = 0) => status === 408 || status === 429 || status === 499 || status >= 500

/** Bytes of an error's answer that are read. */
const mostErrorBytes = 65_536

/** Header in which a caller gives the SHA-256 of a body; absent: there is no body. */
export const bodyDigest = 'x-amz-content-sha256'
const ofNoBody = hash('sha256', '')

/**
 * Transport for the minio client, which sets no timeout and would wait forever for a store that hangs. A request fails
 * if its connection is inactive for `limitMs`, before or during the response. `clock` hears the time of each response.
 * The client does not know the keys: the transport signs each request.
 */
export function boundedTransport(
  protocol: string,
  limitMs: number,
  clock: Pick<StoreClock, 'hear'>,
  signer: Signer,
): Pick<typeof http, 'request'> {
  const isEncrypted = protocol === 'https:'
  const { request } = isEncrypted ? https : http

  function signed(options: UnsignedRequest): Record<string, string> {
    return signer.sign(options, isEncrypted ? unsignedPayload : (options.headers[bodyDigest] ?? ofNoBody))
  }

  function bounded(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest {
    let received: IncomingMessage | undefined
    const headers = signed(options as UnsignedRequest)
    const sent = request({ ...options, headers, timeout: limitMs }, (response) => {
      received = response
      clock.hear(response.headers.date)
      if (!isDropped(response.statusCode)) return onResponse(response)
      void failureOf(response).then((failure) => sent.emit('error', failure))
    })
    function stop() {
      // Unread data means that the reader, such as a client, is slow, not the store. The request reports one timeout
      // only, and the timer of its connection starts again by itself only when further data arrives.
      if (received !== undefined && received.readableLength > 0) sent.socket?.setTimeout(limitMs, stop)
      else sent.destroy(new StoreStalled('no data received in time'))
    }
    return sent.on('timeout', stop)
  }

  return { request: bounded as typeof http.request }
}

async function failureOf(response: IncomingMessage): Promise<StoreFailed> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > mostErrorBytes) break
    }
  } catch {
    // What has arrived says enough.
  }
  return new StoreFailed(response.statusCode ?? 0, Buffer.concat(chunks).toString())
}
