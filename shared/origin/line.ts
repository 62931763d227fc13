import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import neo4j, { type Driver, Neo4jError } from 'neo4j-driver'
import { type BoltConnection, limitHandshake, readByMessage } from './connection.ts'
import { countValues } from './values.ts'

/** Controls the connections of one driver, which does not expose them: their address, their limits and their end. */
export interface Line {
  /** Awaits work of the origin within the limits of `Patience`. @throws what the work throws, or a Neo4jError. */
  during<T>(work: Promise<T>): Promise<T>
  /** Number of records received so far. */
  recordsRead(): number
  /** Resets the count of bytes held: all received rows were consumed, or a read begins. */
  drained(): void
  /** Destroys every connection immediately. */
  cut(reason: Error): void
  /** Closes the driver and any connection that it leaves open. */
  close(): Promise<void>
}

/** Limits on the inactivity of an origin, counted only while a caller waits for it. */
export interface Patience {
  /** Without receiving a byte. */
  silenceSeconds: number
  /** Without a record or the end of a response; keep-alive bytes do not count. */
  stallSeconds: number
}

interface Address {
  resolveWith(host: string): Address
}

/**
 * Private parts of the driver, some of which are replaced. If they are missing, no connection is made. package.json pins
 * the driver's exact version because of them, and of those of `BoltConnection`.
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
  limitHandshake(socket)
})

const tickMs = 1_000
// Bounds the rows received but not yet consumed: the origin sends them at its own pace, whatever their size.
const mostBytesHeld = 256 * 1024 * 1024
// Heap cost of a value that may be one byte on the wire. Values are counted only above `uncountedBytes`.
const objectBytes = 40
const uncountedBytes = 4 * 1024 * 1024

/**
 * Takes control of a new driver's connections. They go to `address`, which was checked, as the driver would resolve the
 * name again; certificates must still match the name. An origin that exceeds the memory limit or its `Patience` is cut
 * off, and pending calls reject. A connection whose handshake is never answered is destroyed on close, since the driver
 * leaves it open.
 */
export function takeLine(driver: Driver, address: string, { silenceSeconds, stallSeconds }: Patience): Line {
  const sockets = new Set<Socket>()
  const waiting = new Set<(reason: unknown) => void>()
  const provider = (driver as unknown as Internals)._getOrCreateConnectionProvider()
  provider._address = provider._address.resolveWith(address)
  const create = provider._createChannelConnection.bind(provider)
  let silentTicks = 0
  let stalledTicks = 0
  let lastBytes = 0
  let bytesHeld = 0
  let records = 0
  let hasProgressed = false

  provider._createChannelConnection = async (to) => {
    const connection = await socketsOf.run(sockets, () => create(to))
    readByMessage(connection, {
      bytes: hold,
      message(bytes) {
        if (bytesHeld > uncountedBytes) hold(objectBytes * countValues(bytes))
      },
      record() {
        records++
        hasProgressed = true
      },
      refuse: cut,
    })
    return connection
  }

  function hold(bytes: number) {
    bytesHeld += bytes
    if (bytesHeld > mostBytesHeld) throw new Error(`rows take more than ${mostBytesHeld} bytes`)
  }

  function cut(reason: Error) {
    for (const socket of sockets) socket.destroy(reason)
    sockets.clear()
    // The driver never settles the call it was delivering to when it failed on unexpected data.
    for (const reject of waiting)
      reject(new Neo4jError(reason.message, neo4j.error.SERVICE_UNAVAILABLE, '', '', undefined, reason))
  }

  // Counts ticks, not elapsed time: while this process is busy or frozen it reads nothing, whatever the origin sends.
  function look() {
    for (const socket of sockets) if (socket.destroyed) sockets.delete(socket)
    const bytes = [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0)
    const isWaiting = waiting.size > 0
    silentTicks = isWaiting && bytes === lastBytes ? silentTicks + 1 : 0
    stalledTicks = isWaiting && !hasProgressed ? stalledTicks + 1 : 0
    lastBytes = bytes
    hasProgressed = false
    if (silentTicks * tickMs >= silenceSeconds * 1_000) cut(new Error(`nothing came for ${silenceSeconds} seconds`))
    if (stalledTicks * tickMs >= stallSeconds * 1_000) cut(new Error(`no record came for ${stallSeconds} seconds`))
  }

  const looking = setInterval(look, tickMs).unref()
  return {
    during<T>(work: Promise<T>) {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const rest = () => {
        waiting.delete(reject)
        hasProgressed = true
      }
      waiting.add(reject)
      work.then(
        (value) => {
          rest()
          resolve(value)
        },
        (error) => {
          rest()
          reject(error)
        },
      )
      return promise
    },
    recordsRead: () => records,
    drained() {
      bytesHeld = 0
    },
    cut,
    async close() {
      clearInterval(looking)
      await driver.close().finally(() => {
        for (const socket of sockets) socket.destroy()
      })
    },
  }
}
