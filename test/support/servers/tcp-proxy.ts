import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A proxy between a client and a local server: can be stopped, and counts round trips and bytes. `change` changes what
 * the client sends.
 */
export async function startProxy(url: string, change = (bytes: Buffer) => bytes) {
  const { hostname, port: upstreamPort } = new URL(url)
  const open = new Set<Socket>()
  let [turns, answered] = [0, 0]
  const server = createServer((client) => {
    const upstream = connect(Number(upstreamPort), hostname)
    let isClientsTurn = true
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from)
      from.on('data', (bytes) => {
        if (from === client && isClientsTurn) turns++
        isClientsTurn = from === upstream
        if (from === upstream) answered += bytes.length
        to.write(from === client ? change(bytes) : bytes)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
    }
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = async () => {
    if (!server.listening) return
    server.close()
    for (const socket of open) socket.destroy()
    await once(server, 'close')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    boltUrl: `bolt://127.0.0.1:${port}`,
    /** Number of round trips: how often the client sent data after an answer of the server. */
    turns: () => turns,
    /** Number of bytes that the server has sent. */
    answered: () => answered,
    stop,
    start: () => listen(port),
    [Symbol.asyncDispose]: stop,
  }
}
