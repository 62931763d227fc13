import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface FakeRequest {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: unknown
  /** When it arrived, in milliseconds. */
  at: number
}

export type FakeAnswer = 'hang up' | { status: number; headers?: Record<string, string>; body: unknown }

/** An HTTP server with the given answers, for behaviour that the service shows only when something is wrong. */
export async function startFakeService(answer: (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>) {
  const requests: FakeRequest[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const body = method === 'POST' && headers['content-type'] ? await json(request) : null
    requests.push({ method, url, headers, body, at: performance.now() })
    const answered = await answer(requests.at(-1) as FakeRequest)
    if (answered === 'hang up') return request.socket.destroy()
    const bytes = Buffer.isBuffer(answered.body) ? answered.body : JSON.stringify(answered.body)
    response.writeHead(answered.status, { 'Content-Type': 'application/json', ...answered.headers }).end(bytes)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, requests, variables: { PACKETS_URL: url, PACKETS_TOKEN: 'the-token' } }
}

/** Passes a request on to another server. */
export async function forward(url: string, { method, headers, body, url: path }: FakeRequest): Promise<FakeAnswer> {
  const kept = ['authorization', 'content-type', 'prefer', 'idempotency-key'].filter((name) => headers[name])
  const response = await fetch(url + path, {
    method,
    headers: Object.fromEntries(kept.map((name) => [name, headers[name] as string])),
    body: body === null ? null : JSON.stringify(body),
  })
  const { 'content-encoding': _, 'content-length': __, ...answered } = Object.fromEntries(response.headers)
  return { status: response.status, headers: answered, body: Buffer.from(await response.arrayBuffer()) }
}
