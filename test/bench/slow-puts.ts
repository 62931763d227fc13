import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** Stands in front of an S3 server and hands requests on as they are; what writes an object waits first. */
export async function startSlowPuts(endpoint: string) {
  let delayMs = 0
  const { hostname, port } = new URL(endpoint)
  const server = createServer(async (incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    // The signature speaks of the host that the client named, which the headers still do.
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
