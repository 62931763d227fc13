import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https, { type RequestOptions } from 'node:https'

/** A request to the store stood still for too long. */
export class StoreStalled extends Error {}

/**
 * What the minio client makes its requests with. It sets no limit of its own and would wait for ever for a store that
 * hangs: one whose connection stands still for `limitMs`, be it before the answer or in the middle of it, fails.
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
      // What is there and not read yet waits for its reader, a slow client say, and not for the store.
      if (answer === undefined || answer.readableLength === 0) asked.destroy(new StoreStalled('no byte in time'))
    })
  }

  return { request: bounded as typeof http.request }
}
