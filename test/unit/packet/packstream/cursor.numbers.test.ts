import { describe, expect, test } from 'vitest'
import { type, types } from '../../../../packet/packstream/cursor.ts'
import { expectAtEnd, expectRefused, float, integer64, open } from './bytes.ts'

describe('an integer', () => {
  const widths: [bytes: number, marker: number][] = [
    [1, 0xc8],
    [2, 0xc9],
    [4, 0xca],
  ]

  test('an integer of a single byte is from -16 to 127', () => {
    for (let byte = 0; byte < 256; byte++) {
      const isTiny = byte < 0x80 || byte >= 0xf0
      expect(types[byte] === type.tinyInteger).toBe(isTiny)
      if (!isTiny) continue
      const value = byte < 0x80 ? byte : byte - 256
      const cursor = open(Buffer.of(byte))
      expect([cursor.integer(), open(Buffer.of(byte)).bigint(), open(Buffer.of(byte)).skip()]).toEqual([
        value,
        BigInt(value),
        1,
      ])
      expectAtEnd(cursor)
    }
  })

  test.each(widths)('an integer of %i bytes is read at its edges', (bytes, marker) => {
    const most = 2 ** (8 * bytes - 1)
    for (const value of [-most, -most + 1, -129, -128, -17, -1, 0, 1, 127, 128, most - 1]) {
      if (value < -most || value >= most) continue
      const packed = Buffer.alloc(1 + bytes, marker)
      packed.writeIntBE(value, 1, bytes)
      const cursor = open(packed)
      expect(cursor.integer()).toBe(value)
      expectAtEnd(cursor)
      expect(open(packed).bigint()).toBe(BigInt(value))
      expect(open(packed).skip()).toBe(1)
      for (let end = 0; end <= bytes; end++) {
        for (const act of ['integer', 'whole', 'bigint', 'skip'] as const)
          expectRefused(packed.subarray(0, end), (it) => it[act]())
      }
    }
  })

  test('an integer of eight bytes is exact as a bigint, and rounded as a number', () => {
    const edges = [2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 60n, 2n ** 63n - 1n].flatMap((one) => [
      one - 1n,
      one,
      one + 1n,
    ])
    for (const value of [...edges, ...edges.map((one) => -one), 0n, -1n, -(2n ** 63n)]) {
      if (BigInt.asIntN(64, value) !== value) continue
      const packed = integer64(value)
      const cursor = open(packed)
      expect(cursor.bigint()).toBe(value)
      expectAtEnd(cursor)
      expect(open(packed).integer()).toBe(Number(value))
      const whole = open(packed)
      expect(whole.whole()).toBe(Number.isSafeInteger(Number(value)) ? Number(value) : value)
      expectAtEnd(whole)
      for (let end = 0; end < 9; end++)
        for (const act of ['integer', 'whole', 'bigint', 'skip'] as const)
          expectRefused(packed.subarray(0, end), (it) => it[act]())
    }
  })
})

test('a float is read as it is, and never when it is cut off', () => {
  for (const value of [0, -0, 0.5, 5e-324, Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY]) {
    const cursor = open(float(value))
    expect(Object.is(cursor.float(), value)).toBe(true)
    expectAtEnd(cursor)
    expect(open(float(value)).skip()).toBe(1)
  }
  for (let end = 0; end < 9; end++) {
    expectRefused(float(0.5).subarray(0, end), (it) => it.float())
    expectRefused(float(0.5).subarray(0, end), (it) => it.skip())
  }
})
