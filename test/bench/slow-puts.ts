import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A proxy before an S3 server that forwards requests unchanged but delays PUTs. */
export async function startSlowPuts(endpoint: string) {
  let delayMs = 0
  const { hostname, port } = new URL(endpoint)
  const server = createServer(async (incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    // The signature covers the host the client used, which the headers preserve.
    const upstream = request({ hostname, port, method, path, headers, agent: false })
    upstream.on('error', () => outgoing.destroy())
    outgoing.on('close', () => upstream.destroy())
    upstream.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(outgoing)
    })
    if (method === 'PUT') await delay(delayMs)
    incoming.pipe(upstream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setDelay(milliseconds: number) {
      delayMs = milliseconds
    },
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
