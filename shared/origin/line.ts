import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Driver } from 'neo4j-driver'

/** The connections of one driver, which keeps them to itself: where they go, how long they may be silent, their end. */
export interface Line {
  /** Something is waited for from now on, until `rests` is called as often. */
  waits(): void
  rests(): void
  /** A whole record came. */
  arrives(): void
  /** Ends every connection at once; whoever waits is told the reason by the driver. */
  cut(reason: Error): void
  /** Closes the driver, and whatever connection it has forgotten. */
  close(): Promise<void>
}

interface Address {
  resolveWith(host: string): Address
}

/** Parts of the driver that are not public. Without them no connection is made. */
interface Internals {
  _getOrCreateConnectionProvider(): {
    _address: Address
    _createChannelConnection(address: Address): Promise<unknown>
  }
}

const socketsOf = new AsyncLocalStorage<Set<Socket>>()
subscribe('net.client.socket', (message) => {
  socketsOf.getStore()?.add((message as { socket: Socket }).socket)
})

const tickMs = 1_000
// The driver holds a record until all of it is there. One of this size would be in no packet.
const longestRecordBytes = 512 * 1024 * 1024

/**
 * Takes a new driver's connections in hand. They go to `address`, which was checked, while a certificate must fit the
 * name: the driver would resolve the name again. While something is waited for and no byte comes for `silenceSeconds`,
 * or bytes that make no record come without an end, they are cut, and the driver tells whoever waits. A connection that never answers the first words the driver leaves
 * open, also when it is closed.
 */
export function takeLine(driver: Driver, address: string, silenceSeconds: number): Line {
  const sockets = new Set<Socket>()
  const provider = (driver as unknown as Internals)._getOrCreateConnectionProvider()
  provider._address = provider._address.resolveWith(address)
  const create = provider._createChannelConnection.bind(provider)
  provider._createChannelConnection = (to) => socketsOf.run(sockets, () => create(to))
  let waiting = 0
  let silentTicks = 0
  let lastBytes = 0
  let bytesOfRecord = 0
  let hasArrived = false

  function cut(reason?: Error) {
    for (const socket of sockets) socket.destroy(reason)
    sockets.clear()
  }

  // Ticks, not times: while this process is busy or frozen nothing is read, and that is not the origin's silence.
  function look() {
    for (const socket of sockets) if (socket.destroyed) sockets.delete(socket)
    const bytes = [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0)
    silentTicks = waiting > 0 && bytes === lastBytes ? silentTicks + 1 : 0
    bytesOfRecord = hasArrived ? 0 : bytesOfRecord + Math.max(0, bytes - lastBytes)
    hasArrived = false
    lastBytes = bytes
    if (bytesOfRecord > longestRecordBytes) cut(new Error(`a record is larger than ${longestRecordBytes} bytes`))
    if (silentTicks * tickMs >= silenceSeconds * 1_000) cut(new Error(`nothing came for ${silenceSeconds} seconds`))
  }

  const looking = setInterval(look, tickMs).unref()
  return {
    waits() {
      waiting++
    },
    rests() {
      waiting--
    },
    cut,
    arrives() {
      hasArrived = true
    },
    async close() {
      clearInterval(looking)
      await driver.close().finally(() => cut())
    },
  }
}
