import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay, setImmediate as polled } from 'node:timers/promises'
import type { Logger } from '../observability/log.ts'

export interface DrainTimes {
  /** How long connections are still accepted and kept, so that clients learn of the shutdown from an answer. */
  drainMs: number
  /** Total time after which requests in progress are cut off. */
  graceMs: number
}

const lookedEveryMs = 50

/**
 * Shuts a server down without refusing a request that arrived: answers carry `Connection: close` from the start of the
 * shutdown, and idle connections are closed only after their input was read.
 * @returns the shutdown function, and a lookup of the response in progress on a connection.
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
    // Node does not count a connection that never sent anything as idle.
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
