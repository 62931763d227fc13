import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import type { Driver } from 'neo4j-driver'
import { expect, test } from 'vitest'
import { PackedRows, sendPackedRows } from '../../../client/replay/run/sending.ts'
import { driverOf } from '../../support/origins/packstream.ts'

class ChannelBytes {
  readonly bytes: Buffer
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** A connection of a driver that sends packed rows, and what its packer and its channel got. */
async function connected() {
  const socket = new PassThrough() as unknown as Socket
  const [others, written]: [unknown[], Buffer[]] = [[], []]
  const packer = {
    packable: (value: unknown, _dehydrate?: unknown) => () => others.push(value),
    _ch: {
      _buffer: new ChannelBytes(Buffer.alloc(0)),
      writeBytes: ({ bytes }: ChannelBytes) => written.push(bytes),
    },
  }
  const provider = {
    _createChannelConnection: async (_address: string) => ({
      _ch: { _conn: socket },
      protocol: () => ({ packer: () => packer }),
    }),
  }
  sendPackedRows({ _getOrCreateConnectionProvider: () => provider } as unknown as Driver)
  await provider._createChannelConnection('there')
  return { socket, packer, others, written }
}

test('packed rows are sent as their bytes, all other values as the driver packs them', async () => {
  const { packer, others, written } = await connected()
  const rows = [['a', 1n, 2.5], []]
  packer.packable({ rows: 1 })()
  packer.packable(PackedRows.of(rows))()
  expect(others).toEqual([{ rows: 1 }])
  expect(written).toEqual([driverOf('5x0').pack(rows)])
})

test('rows packed later do not change earlier ones', () => {
  const first = PackedRows.of(['first'])
  const bytes = Buffer.from(first.bytes)
  expect(PackedRows.of(['other']).bytes.equals(bytes)).toBe(false)
  expect(first.bytes.equals(bytes)).toBe(true)
})

test('what is no value of a pair is refused before anything is sent', () => {
  expect(() => PackedRows.of([() => 1])).toThrow('a function is no value of a pair')
  expect(() => PackedRows.of([2n ** 64n])).toThrow(RangeError)
  expect(PackedRows.of([1n]).bytes.equals(driverOf('5x0').pack([1n]))).toBe(true)
})

test('what the driver writes in one turn is sent together', async () => {
  const { socket } = await connected()
  socket.write('one')
  expect(socket.writableCorked).toBe(1)
  await new Promise((resolve) => setImmediate(resolve))
  expect(socket.writableCorked).toBe(0)
})
