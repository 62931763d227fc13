import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import neo4j, { type Driver, Neo4jError } from 'neo4j-driver'
import { type BoltConnection, limitHandshake, readByMessage } from './connection.ts'
import { countValues } from './values.ts'

/** The connections of one driver, which keeps them to itself: where they go, what they may cost, their end. */
export interface Line {
  /** Waits for the origin's work, but not longer than it may take. @throws what the work does, or a Neo4jError. */
  during<T>(work: Promise<T>): Promise<T>
  /** How many records have come so far. */
  recordsRead(): number
  /** Nothing of what has come is held any more, or a read begins: so much may come from now on. */
  drained(): void
  /** Ends every connection at once. */
  cut(reason: Error): void
  /** Closes the driver, and whatever connection it has forgotten. */
  close(): Promise<void>
}

/** How long an origin may take while it is waited for. */
export interface Patience {
  /** Without a byte. */
  silenceSeconds: number
  /** Without a record, or the end of an answer: what keeps a connection alive is neither. */
  stallSeconds: number
}

interface Address {
  resolveWith(host: string): Address
}

/** Parts of the driver that are not public. Without them no connection is made. */
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
// Rows come as fast as the origin likes until those that are held are enough, whatever their size.
const mostBytesHeld = 256 * 1024 * 1024
// A value may be a byte where it comes from, and an object here. Of little that comes nobody needs to count them.
const objectBytes = 40
const uncountedBytes = 4 * 1024 * 1024

/**
 * Takes a new driver's connections in hand. They go to `address`, which was checked, while a certificate must fit the
 * name: the driver would resolve the name again. An origin that sends more than may be held, or that is waited for and
 * lets it last too long, is cut off, and whoever waits is told. A connection that never answers the first words the
 * driver leaves open, also when it is closed.
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
    // The driver does not tell whoever it was about to tell something when it met what it did not expect.
    for (const reject of waiting)
      reject(new Neo4jError(reason.message, neo4j.error.SERVICE_UNAVAILABLE, '', '', undefined, reason))
  }

  // Ticks, not times: while this process is busy or frozen nothing is read, and that is not the origin's silence.
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
