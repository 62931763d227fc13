import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import type { Driver } from 'neo4j-driver'
import { PackWriter } from '../../../shared/packstream/pack-writer.ts'
import { sendTogether } from '../../../shared/packstream/send-together.ts'

/** A parameter of a query: a list of rows made of values of pairs. They become bytes only when they are sent. */
export class Rows {
  readonly rows: readonly unknown[]
  constructor(rows: readonly unknown[]) {
    this.rows = rows
  }
}

type ChannelBuffer = object
interface Packer {
  packable(value: unknown, dehydrate: unknown): () => void
  _ch: { _buffer: ChannelBuffer; writeBytes(bytes: ChannelBuffer): void }
}

/** Private parts of the driver; package.json pins its version. If they are missing, no connection is made. */
interface Internals {
  _getOrCreateConnectionProvider(): {
    _createChannelConnection(address: unknown): Promise<{ protocol(): { packer(): Packer } }>
  }
}

const connecting = new AsyncLocalStorage<true>()
subscribe('net.client.socket', (message) => {
  const { socket } = message as { socket: Socket }
  // Not before, because `connect` restores the original method.
  if (connecting.getStore()) socket.once('connect', () => sendTogether(socket))
})

/** Lets a driver send `Rows`, for a fifth of the processor time that its own packer takes with lists. */
export function sendRows(driver: Driver): void {
  const provider = (driver as unknown as Internals)._getOrCreateConnectionProvider()
  const create = provider._createChannelConnection.bind(provider)
  provider._createChannelConnection = async (address) => {
    const connection = await connecting.run(true, () => create(address))
    packRows(connection.protocol().packer())
    return connection
  }
}

// Rows are packed and copied to the connection in one turn, so that one memory serves all connections.
const writer = new PackWriter()

function packRows(packer: Packer): void {
  const { packable } = packer
  const Bytes = packer._ch._buffer.constructor as new (bytes: Buffer) => ChannelBuffer
  packer.packable = (value, dehydrate) => {
    if (!(value instanceof Rows)) return packable.call(packer, value, dehydrate)
    return () => {
      writer.clear()
      writer.value(value.rows)
      packer._ch.writeBytes(new Bytes(writer.written))
    }
  }
}
