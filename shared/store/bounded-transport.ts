import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https, { type RequestOptions } from 'node:https'
import type { StoreClock } from './store-clock.ts'

/** A request to the store was inactive for too long. */
export class StoreStalled extends Error {}

/**
 * Transport for the minio client, which sets no timeout and would wait forever for a store that hangs. A request fails
 * if its connection is inactive for `limitMs`, before or during the response. `clock` hears the time of each response.
 */
export function boundedTransport(
  protocol: string,
  limitMs: number,
  clock: Pick<StoreClock, 'hear'>,
): Pick<typeof http, 'request'> {
  const { request } = protocol === 'https:' ? https : http

  function bounded(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest {
    let received: IncomingMessage | undefined
    const sent = request({ ...options, timeout: limitMs }, (response) => {
      received = response
      clock.hear(response.headers.date)
      onResponse(response)
    })
    return sent.on('timeout', () => {
      // Unread data means that the reader, such as a client, is slow, not the store.
      if (received === undefined || received.readableLength === 0)
        sent.destroy(new StoreStalled('no data received in time'))
    })
  }

  return { request: bounded as typeof http.request }
}
