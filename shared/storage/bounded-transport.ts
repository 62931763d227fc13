import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https, { type RequestOptions } from 'node:https'

/** A request to the store was inactive for too long. */
export class StoreStalled extends Error {}

/**
 * Transport of the minio client, which sets no timeout and would wait forever for a store that hangs. A request fails
 * if its connection is inactive for `limitMs`, before the response or during it.
 */
export function boundedTransport(protocol: string, limitMs: number): Pick<typeof http, 'request'> {
  const { request } = protocol === 'https:' ? https : http

  function bounded(options: RequestOptions, onAnswer: (answer: IncomingMessage) => void): ClientRequest {
    let answer: IncomingMessage | undefined
    const asked = request({ ...options, timeout: limitMs }, (response) => {
      answer = response
      onAnswer(response)
    })
    return asked.on('timeout', () => {
      // Unread data means that the reader, such as a slow client, is late, not the store.
      if (answer === undefined || answer.readableLength === 0) asked.destroy(new StoreStalled('no byte in time'))
    })
  }

  return { request: bounded as typeof http.request }
}
