import { expect } from 'vitest'
import type { Cursor } from '../../../../packet/packstream/cursor.ts'
import { originCursor } from '../../../../shared/origin/origin-cursor.ts'

/** PackStream by hand: each marker with a size of any width. */

/** A marker with a size of so many bytes. */
export function head(marker: number, bytesOfSize: 1 | 2 | 4, size: number): Buffer {
  const bytes = Buffer.alloc(1 + bytesOfSize, marker)
  bytes.writeUIntBE(size, 1, bytesOfSize)
  return bytes
}

/** Every head that can hold this size: a tiny one, and heads with 8, 16 and 32 bits, from the marker `of8` on. */
export const headsOf = (size: number, tiny: number | null, of8: number): Buffer[] => [
  ...(tiny !== null && size < 16 ? [Buffer.of(tiny + size)] : []),
  ...([1, 2, 4] as const).flatMap((bytes, index) => (size < 256 ** bytes ? [head(of8 + index, bytes, size)] : [])),
]

/** Sizes at the edges of each width. */
export const sizes = [0, 1, 15, 16, 127, 128, 255, 256, 65_535, 65_536]

export const [string, list, map, binary] = [
  [0x80, 0xd0],
  [0x90, 0xd4],
  [0xa0, 0xd8],
  [null, 0xcc],
] as const

export const integer64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(9, 0xcb)
  bytes.writeBigInt64BE(value, 1)
  return bytes
}

export const float = (value: number): Buffer => {
  const bytes = Buffer.alloc(9, 0xc1)
  bytes.writeDoubleBE(value, 1)
  return bytes
}

export const text = (value: string): Buffer =>
  Buffer.concat([head(0xd2, 4, Buffer.byteLength(value)), Buffer.from(value)])

export const structure = (tag: number, ...fields: Buffer[]): Buffer =>
  Buffer.concat([Buffer.of(0xb0 + fields.length, tag), ...fields])

export const listOf = (...values: Buffer[]): Buffer => Buffer.concat([head(0xd6, 4, values.length), ...values])

export const broke = expect.objectContaining({ status: 502, code: 'originBroke' })

/** Opens bytes that follow others, and that others follow, so that a read outside would find something. */
export function open(bytes: Buffer): Cursor {
  const around = Buffer.concat([Buffer.alloc(3, 0x01), bytes, Buffer.alloc(20, 0x01)])
  return originCursor().open(around, 3, 3 + bytes.length)
}

export const expectAtEnd = (cursor: Cursor) => expect(cursor.at).toBe(cursor.end)

/** What each method does with bytes that it must refuse, whole or cut off. */
export function expectRefused(bytes: Buffer, act: (cursor: Cursor) => unknown) {
  expect(() => act(open(bytes))).toThrow(broke)
}
