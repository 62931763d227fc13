import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay, setImmediate as inputRead } from 'node:timers/promises'
import type { Logger } from '../observability/log.ts'

export interface DrainTimes {
  /** How long connections are still accepted and kept, so that clients learn of the shutdown from an answer. */
  drainMs: number
  /** Total time after which requests in progress are cut off. */
  graceMs: number
}

const pollMs = 50

/**
 * Shuts a server down without refusing a request that arrived: answers have `Connection: close` from the start of the
 * shutdown, and idle connections are closed only after their input was read.
 * @returns the shutdown function, and a lookup of the response in progress on a connection.
 */
export function createDrain(server: Server, log: Pick<Logger, 'warn'>, { drainMs, graceMs }: DrainTimes) {
  const sockets = new Set<Socket>()
  const inProgress = new Set<ServerResponse>()
  let isDraining = false

  const announceClose = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('Connection', 'close')
  }
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    inProgress.add(response)
    response.once('close', () => inProgress.delete(response))
    if (isDraining) announceClose(response)
  })

  function closeIdle() {
    server.closeIdleConnections()
    // Node does not count a connection that never sent anything as idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  async function drain(): Promise<void> {
    const startedAt = performance.now()
    const closed = once(server, 'close')
    isDraining = true
    for (const response of inProgress) announceClose(response)
    if (sockets.size > 0) await delay(Math.min(drainMs, graceMs))
    await inputRead()
    server.close()
    while (sockets.size > 0 && performance.now() - startedAt < graceMs) {
      await inputRead()
      closeIdle()
      await Promise.race([closed, delay(pollMs)])
    }
    if (inProgress.size > 0) log.warn({ requests: inProgress.size }, 'requests cut off')
    for (const socket of sockets) socket.destroy()
    await closed
  }

  return { drain, responseOn: (socket: Duplex) => [...inProgress].find((response) => response.socket === socket) }
}
