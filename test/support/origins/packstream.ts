import { createRequire } from 'node:module'
import { createHeldBudget } from '../../../shared/origin/held-budget.ts'
import { originCursor } from '../../../shared/origin/origin-cursor.ts'
import { type Properties, readProperties, sourceOf } from '../../../shared/origin/properties.ts'
import { Rows } from '../../../shared/origin/rows.ts'
import { Shapes } from '../../../shared/origin/shapes.ts'

// The driver's own packer and unpacker, which it does not export.
const require = createRequire(import.meta.url)
const driver = 'neo4j-driver-bolt-connection/lib'
const { alloc } = require(`${driver}/channel/channel-buf.js`) as { alloc(bytes: number): ChannelBuffer }

interface ChannelBuffer {
  position: number
  _buffer: Buffer
  reset(): void
}

interface Protocol {
  packable(value: unknown): () => void
  unpack(bytes: ChannelBuffer): unknown
}

/** Bytes that the packer has written. */
function createChannel() {
  let pieces: Buffer[] = []
  const write = (size: number, fill: (to: Buffer) => void) => {
    const piece = Buffer.alloc(size)
    fill(piece)
    pieces.push(piece)
  }
  return {
    writeUInt8: (value: number) => write(1, (to) => to.writeUInt8(value)),
    writeInt8: (value: number) => write(1, (to) => to.writeInt8(value)),
    writeInt16: (value: number) => write(2, (to) => to.writeInt16BE(value)),
    writeInt32: (value: number) => write(4, (to) => to.writeInt32BE(value)),
    writeFloat64: (value: number) => write(8, (to) => to.writeDoubleBE(value)),
    writeBytes: ({ _buffer }: ChannelBuffer) => write(_buffer.length, (to) => void _buffer.copy(to)),
    take() {
      const bytes = Buffer.concat(pieces)
      pieces = []
      return bytes
    },
  }
}

/** What the driver does with values in one version of Bolt: `5x0` has datetimes in UTC, `4x2` and `3` have local ones. */
export function driverOf(version: '3' | '4x2' | '5x0' | '6x0' | '6x1') {
  const channel = createChannel()
  const { default: BoltProtocol } = require(`${driver}/bolt/bolt-protocol-v${version}.js`)
  const log = { isDebugEnabled: () => false, warn() {} }
  const protocol: Protocol = new BoltProtocol(
    {},
    channel,
    { useBigInt: true },
    () => null,
    log,
    () => {},
    false,
  )
  return {
    pack(value: unknown): Buffer {
      protocol.packable(value)()
      return channel.take()
    },
    unpack(bytes: Buffer): unknown {
      const buffer = alloc(bytes.length)
      bytes.copy(buffer._buffer)
      return protocol.unpack(buffer)
    },
  }
}

const { pack, unpack } = driverOf('5x0')

/** Rows as an origin sends them: a list of columns each, of values as the driver takes them. */
export function rowsOf(rows: readonly (readonly unknown[])[], driver = { pack, unpack }): Rows {
  const found = new Rows(
    createHeldBudget(Number.POSITIVE_INFINITY).open('', () => {}),
    driver.unpack,
  )
  for (const row of rows) found.add(recordOf(row.map(driver.pack)))
  return found
}

/** A record of packed columns. */
export const recordOf = (columns: readonly Buffer[]): Buffer => {
  const head = Buffer.from([0xb1, 0x71, 0xd6, 0, 0, 0, 0])
  head.writeUInt32BE(columns.length, 3)
  return Buffer.concat([head, ...columns])
}

/** Properties as they are read from an origin that has these values. */
export function propertiesOf(
  values: ReadonlyMap<string, unknown> | Record<string, unknown>,
  driver = { pack, unpack },
  shapes = new Shapes(),
): Properties {
  const entries = values instanceof Map ? [...values] : Object.entries(values)
  const head = Buffer.from([0xda, 0, 0, 0, 0])
  head.writeUInt32BE(entries.length, 1)
  const map = Buffer.concat([head, ...entries.flatMap(([key, value]) => [driver.pack(key), driver.pack(value)])])
  const rows = new Rows(
    createHeldBudget(Number.POSITIVE_INFINITY).open('', () => {}),
    driver.unpack,
  )
  const at = rows.add(map)
  return readProperties(originCursor().open(rows.bytes, at, at + map.length), shapes, sourceOf(rows))
}
