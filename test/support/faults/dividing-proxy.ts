import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

// Longer than a reader in the same process takes to receive a piece of its own.
const pauseMs = 2

/**
 * A proxy that passes on what a server sends in pieces. The caller closes it.
 * @param endOf the offset, counted from the start of a connection, where the piece ends that begins at an offset
 */
export async function startDividingProxy(target: string, endOf: (offset: number) => number) {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  async function passInPieces(from: Socket, to: Socket) {
    to.setNoDelay(true)
    let offset = 0
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length && !to.destroyed; ) {
        const size = Math.min(endOf(offset) - offset, chunk.length - at)
        to.write(chunk.subarray(at, at + size))
        at += size
        offset += size
        await delay(pauseMs)
      }
    }
    to.end()
  }
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', cut).on('close', () => sockets.delete(socket))
    }
    client.on('close', cut)
    client.pipe(upstream)
    passInPieces(upstream, client).catch(cut)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    boltUrl: `bolt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
