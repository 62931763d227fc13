import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay, setImmediate as polled } from 'node:timers/promises'
import type { Logger } from '../observability/log.ts'

export interface DrainTimes {
  /** How long connections are still taken and kept, so that their clients learn from an answer that they end. */
  drainMs: number
  /** After that time in all, what is still under way is cut off. */
  graceMs: number
}

const lookedEveryMs = 50

/**
 * Ends a server so that no request that has come is refused: answers say `Connection: close` from the beginning of the
 * end, and connections without a request are closed only after what has come on them was read.
 * @returns what ends it, and the answer under way on a connection.
 */
export function drainable(server: Server, log: Pick<Logger, 'warn'>, { drainMs, graceMs }: DrainTimes) {
  const sockets = new Set<Socket>()
  const underWay = new Set<ServerResponse>()
  let isEnding = false

  const tell = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('Connection', 'close')
  }
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    underWay.add(response)
    response.once('close', () => underWay.delete(response))
    if (isEnding) tell(response)
  })

  function closeIdle() {
    server.closeIdleConnections()
    // To Node one that never sent anything is not idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  async function drain(): Promise<void> {
    const began = performance.now()
    const closed = once(server, 'close')
    isEnding = true
    for (const response of underWay) tell(response)
    if (sockets.size > 0) await delay(Math.min(drainMs, graceMs))
    await polled()
    server.close()
    while (sockets.size > 0 && performance.now() - began < graceMs) {
      await polled()
      closeIdle()
      await Promise.race([closed, delay(lookedEveryMs)])
    }
    if (underWay.size > 0) log.warn({ requests: underWay.size }, 'requests cut off')
    for (const socket of sockets) socket.destroy()
    await closed
  }

  return { drain, underWayOn: (socket: Duplex) => [...underWay].find((response) => response.socket === socket) }
}
