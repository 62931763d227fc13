import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll } from 'vitest'

/** Fate of a request: never answered, refused, or forwarded late; null: forwarded. */
export type Misbehaviour = 'hang' | { status: number; code: string } | { delayMs: number } | null

/** A proxy before the object store that misbehaves on demand. */
export interface S3Proxy {
  url: string
  /** Applies to new requests; hanging ones keep hanging. */
  misbehave(rule: (request: { method: string; path: string }) => Misbehaviour): void
  behave(): void
}

/** Stopped when the calling file finishes. */
export async function startS3Proxy(endpoint: string): Promise<S3Proxy> {
  const { hostname, port } = new URL(endpoint)
  let rule: (request: { method: string; path: string }) => Misbehaviour = () => null

  const server = createServer(async (asked, answer) => {
    const { method = '', url: path = '', headers } = asked
    const misbehaviour = rule({ method, path })
    if (misbehaviour === 'hang') return
    if (misbehaviour && 'status' in misbehaviour) {
      const { status, code } = misbehaviour
      asked.resume()
      answer.writeHead(status, { 'Content-Type': 'application/xml' })
      return answer.end(method === 'HEAD' ? '' : `<Error><Code>${code}</Code><Message>no</Message></Error>`)
    }
    if (misbehaviour) await delay(misbehaviour.delayMs)
    // Headers are forwarded unchanged: the signature covers the host.
    const passed = request({ hostname, port, method, path, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 500, answered.headers)
      answered.pipe(answer)
      answered.on('error', () => answer.destroy())
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.on('error', () => passed.destroy())
    asked.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    misbehave(next) {
      rule = next
    },
    behave() {
      rule = () => null
    },
  }
}
