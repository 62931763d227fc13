import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import neo4j, { type Driver, Neo4jError } from 'neo4j-driver'
import type { Unpack } from '../../packet/packstream/decode.ts'
import { sendTogether } from '../../packet/packstream/send-together.ts'
import type { OriginSettings } from '../config/config.ts'
import { AppError } from '../errors/app-error.ts'
import * as errors from '../errors/catalogue.ts'
import { currentTenant } from '../lifecycle/current-tenant.ts'
import { type BoltConnection, readByMessage, refuseNotifications } from './connection.ts'
import { processBudget } from './held-budget.ts'
import { Rows } from './rows.ts'

/** Limits on the inactivity of an origin, counted only while a caller waits for it. */
export type InactivityLimits = Pick<OriginSettings, 'silenceSeconds' | 'stallSeconds'>

interface Address {
  resolveWith(host: string): Address
}

/**
 * Private parts of the driver, some of which are replaced. If they are missing, no connection is made. Because of these
 * parts and the private parts in `BoltConnection`, package.json pins the driver's exact version.
 */
interface Internals {
  _getOrCreateConnectionProvider(): {
    _address: Address
    _createChannelConnection(address: Address): Promise<BoltConnection>
  }
}

const socketsOf = new AsyncLocalStorage<Set<Socket>>()
subscribe('net.client.socket', (message) => {
  const { socket } = message as { socket: Socket }
  const sockets = socketsOf.getStore()
  if (!sockets) return
  sockets.add(socket)
  // Not before, because `connect` restores the original method.
  socket.once('connect', () => sendTogether(socket))
})

const tickMs = 1_000
/**
 * Bytes that an origin sends on a kept connection, to keep it alive. Beyond this limit the connection closes, and the
 * next publish logs in again.
 */
const mostBytesAtRest = 1024

/**
 * Takes control of a new driver's connections, which it does not expose. They go to the checked `address`, because the
 * driver would resolve the name again; certificates must still match the name. An origin that exceeds the memory limit
 * or an inactivity limit is disconnected, and pending calls reject. A connection whose handshake is never answered is
 * destroyed on close, because the driver leaves it open.
 */
export function guardConnections(driver: Driver, address: string, { silenceSeconds, stallSeconds }: InactivityLimits) {
  const sockets = new Set<Socket>()
  const waiting = new Set<(reason: unknown) => void>()
  // Holds no connections, because the memory of a connection that has ended must be freed.
  const unfinished = new Set<symbol>()
  const provider = (driver as unknown as Internals)._getOrCreateConnectionProvider()
  provider._address = provider._address.resolveWith(address)
  const create = provider._createChannelConnection.bind(provider)
  let silentTicks = 0
  let stalledTicks = 0
  let lastBytes = 0
  const share = processBudget.open(currentTenant(), () => {
    refusal = errors.processBusy('large reads of origins', { retryable: true })
    disconnect(refusal)
  })
  let refusal: AppError | null = null
  let bytesAtRest: number | null = null
  let delivered: Buffer | null = null
  let unpack: Unpack = () => undefined
  let hasProgressed = false

  provider._createChannelConnection = async (to) => {
    const connection = await socketsOf.run(sockets, () => create(to))
    refuseNotifications(connection)
    const id = Symbol('connection')
    unpack = readByMessage(connection, {
      bytes(count) {
        if (refusal) throw refusal
        if (bytesAtRest === null) return
        bytesAtRest += count
        if (bytesAtRest > mostBytesAtRest) throw new Error('received data while no request was waiting')
      },
      held: share.change,
      record(bytes) {
        delivered = bytes
        hasProgressed = true
      },
      unfinished(isUnfinished) {
        if (isUnfinished) unfinished.add(id)
        else unfinished.delete(id)
      },
      refuse: disconnect,
    })
    return connection
  }

  function disconnect(reason: Error) {
    for (const socket of sockets) socket.destroy(reason)
    sockets.clear()
    // The driver never settles the call it was delivering to when it failed on unexpected data.
    for (const reject of waiting)
      reject(
        reason instanceof AppError
          ? reason
          : new Neo4jError(reason.message, neo4j.error.SERVICE_UNAVAILABLE, '', '', undefined, reason),
      )
  }

  // Counts ticks, not elapsed time: while this process is busy or frozen it reads nothing, whatever the origin sends.
  function checkProgress() {
    for (const socket of sockets) if (socket.destroyed) sockets.delete(socket)
    const bytes = [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0)
    const isWaiting = waiting.size > 0
    silentTicks = isWaiting && bytes === lastBytes ? silentTicks + 1 : 0
    stalledTicks = isWaiting && !hasProgressed ? stalledTicks + 1 : 0
    lastBytes = bytes
    hasProgressed = false
    if (silentTicks * tickMs >= silenceSeconds * 1_000)
      disconnect(new Error(`no data received for ${silenceSeconds} seconds`))
    if (stalledTicks * tickMs >= stallSeconds * 1_000)
      disconnect(new Error(`no record received for ${stallSeconds} seconds`))
  }

  const timer = setInterval(checkProgress, tickMs).unref()
  return {
    /** Awaits work of the origin within the inactivity limits. @throws what the work throws, or a Neo4jError. */
    async waitFor<T>(work: Promise<T>): Promise<T> {
      const { promise: disconnected, reject } = Promise.withResolvers<never>()
      waiting.add(reject)
      try {
        return await Promise.race([work, disconnected])
      } catch (error) {
        throw refusal ?? error
      } finally {
        waiting.delete(reject)
        hasProgressed = true
      }
    },
    /** Memory for the rows of a result. */
    newRows: () => new Rows(share, (value) => unpack(value)),
    /** The record that is being delivered: its bytes are overwritten by the next one. */
    delivered: () => delivered,
    /** Call this before the connections are used again after `rest`. */
    wake() {
      bytesAtRest = null
      share.tenant = currentTenant()
    },
    /**
     * Call this when the connections are no longer used. An origin that sends more than a few bytes before `wake` is
     * disconnected.
     * @throws an Error, after disconnecting the origin, if it has sent part of a message, which would stay in memory.
     */
    rest() {
      bytesAtRest = 0
      if (unfinished.size === 0) return
      const reason = new Error('received part of a message while no request was waiting')
      disconnect(reason)
      throw reason
    },
    /** Destroys every connection immediately. */
    disconnect,
    /** Closes the driver and any connection that it leaves open. */
    async close() {
      clearInterval(timer)
      share.change(-share.bytes)
      await driver.close().finally(() => {
        for (const socket of sockets) socket.destroy()
      })
    },
  }
}

export type ConnectionGuard = ReturnType<typeof guardConnections>
