import { describe, expect, test } from 'vitest'
import {
  binary,
  broke,
  expectAtEnd,
  expectRefused,
  head,
  headsOf,
  list,
  map,
  open,
  sizes,
  string,
  structure,
} from './bytes.ts'

describe('a string of each size', () => {
  test.each(sizes)(
    'a string of %i bytes is read by each head that can hold its size, and by none that is cut off',
    (size) => {
      const value = 'x'.repeat(size)
      const heads = headsOf(size, ...string)
      expect(heads).toHaveLength(size < 16 ? 4 : size < 256 ? 3 : size < 65_536 ? 2 : 1)
      for (const one of heads) {
        const bytes = Buffer.concat([one, Buffer.from(value)])
        const cursor = open(bytes)
        expect(cursor.text()).toBe(value)
        expectAtEnd(cursor)
        const again = open(bytes)
        expect(again.string()).toBe(size)
        expectAtEnd(again)
        const passed = open(bytes)
        expect(passed.skip()).toBe(1)
        expectAtEnd(passed)
        for (const end of [0, one.length - 1, bytes.length - 1].filter((at) => at < bytes.length)) {
          expectRefused(bytes.subarray(0, end), (it) => it.text())
          expectRefused(bytes.subarray(0, end), (it) => it.skip())
        }
      }
    },
  )

  test('a string is read as UTF-8, and bytes that are not UTF-8 become U+FFFD', () => {
    for (const value of ['é', '東京', '😀', 'a\u0000b']) {
      const bytes = Buffer.from(value)
      expect(open(Buffer.concat([head(0xd0, 1, bytes.length), bytes])).text()).toBe(value)
    }
    expect(open(Buffer.from([0x82, 0xff, 0x61])).text()).toBe('\ufffda')
  })
})

describe('a list, a map and bytes of each size', () => {
  test.each(sizes)(
    'a list, a map and bytes of size %i are counted and passed, and no more than the record has',
    (size) => {
      for (const one of headsOf(size, ...list)) {
        const bytes = Buffer.concat([one, Buffer.alloc(size, 0xc0)])
        expect(open(bytes).list()).toBe(size)
        const cursor = open(bytes)
        expect(cursor.skip()).toBe(1 + size)
        expectAtEnd(cursor)
        if (size > 0) expectRefused(bytes.subarray(0, -1), (it) => it.skip())
        if (size > 0 && one.length > 1) expectRefused(bytes.subarray(0, -1), (it) => it.list())
      }
      for (const one of headsOf(size, ...map)) {
        const bytes = Buffer.concat([one, Buffer.alloc(2 * size, 0x80)])
        expect(open(bytes).map()).toBe(size)
        const cursor = open(bytes)
        expect(cursor.skip()).toBe(1 + 2 * size)
        expectAtEnd(cursor)
        if (size > 0) expectRefused(bytes.subarray(0, -1), (it) => it.skip())
      }
      for (const one of headsOf(size, ...binary)) {
        const bytes = Buffer.concat([one, Buffer.alloc(size, 0xff)])
        const cursor = open(bytes)
        expect(cursor.skip()).toBe(1)
        expectAtEnd(cursor)
        if (size > 0) expectRefused(bytes.subarray(0, -1), (it) => it.skip())
      }
    },
  )

  test('a size beyond the record is refused before anything is read or allocated', () => {
    for (const marker of [0xce, 0xd2, 0xd6, 0xda]) {
      const bytes = Buffer.concat([head(marker, 4, 2 ** 32 - 1), Buffer.alloc(100)])
      for (const act of ['skip', 'list', 'map', 'text'] as const) expectRefused(bytes, (it) => it[act]())
    }
    for (const marker of [0xcc, 0xd0, 0xd4, 0xd8]) expectRefused(head(marker, 1, 1), (it) => it.skip())
  })
})

test('null and booleans are read', () => {
  const values = Buffer.from([0xc0, 0xc2, 0xc3])
  const cursor = open(values)
  const read = [cursor.passNull(), cursor.passNull(), cursor.boolean(), cursor.boolean()]
  expect(read).toEqual([true, false, false, true])
  expectAtEnd(cursor)
  for (const act of ['passNull', 'boolean', 'skip', 'peek'] as const) expectRefused(Buffer.alloc(0), (it) => it[act]())
})

test('a structure of the expected size is entered, and its fields are passed with it', () => {
  const fields = [Buffer.of(1), Buffer.of(0x81, 0x61), Buffer.of(0x91, 0xc0)]
  for (let count = 0; count <= 3; count++) {
    const bytes = structure(0x44, ...fields.slice(0, count))
    expect(open(bytes).structure(count)).toBe(0x44)
    for (const other of [0, 1, 2, 3, 15].filter((one) => one !== count))
      expectRefused(bytes, (it) => it.structure(other))
    const cursor = open(bytes)
    expect(cursor.skip()).toBe(1 + count + (count === 3 ? 1 : 0))
    expectAtEnd(cursor)
    expectRefused(bytes.subarray(0, 1), (it) => it.structure(count))
    if (count > 0) expectRefused(bytes.subarray(0, -1), (it) => it.skip())
  }
})

test('no method takes a value of another type, and no value begins with a byte that has no meaning', () => {
  const byType = {
    list: (byte: number) => (byte >= 0x90 && byte < 0xa0) || (byte >= 0xd4 && byte <= 0xd6),
    map: (byte: number) => (byte >= 0xa0 && byte < 0xb0) || (byte >= 0xd8 && byte <= 0xda),
    text: (byte: number) => (byte >= 0x80 && byte < 0x90) || (byte >= 0xd0 && byte <= 0xd2),
    integer: (byte: number) => byte < 0x80 || byte >= 0xf0 || (byte >= 0xc8 && byte <= 0xcb),
    bigint: (byte: number) => byte < 0x80 || byte >= 0xf0 || (byte >= 0xc8 && byte <= 0xcb),
    float: (byte: number) => byte === 0xc1,
    boolean: (byte: number) => byte === 0xc2 || byte === 0xc3,
  }
  const without = (byte: number) =>
    (byte >= 0xc4 && byte < 0xc8) ||
    [0xcf, 0xd3, 0xd7].includes(byte) ||
    (byte > 0xda && byte < 0xe0) ||
    (byte > 0xe0 && byte < 0xf0)
  for (let byte = 0; byte < 256; byte++) {
    const bytes = Buffer.concat([Buffer.of(byte), Buffer.alloc(40)])
    for (const [name, takes] of Object.entries(byType)) {
      const act = () => open(bytes)[name as keyof typeof byType]()
      if (takes(byte)) expect(act).not.toThrow()
      else expect(act).toThrow(broke)
    }
    if (without(byte)) expectRefused(bytes, (it) => it.skip())
    else expect(() => open(bytes).skip()).not.toThrow()
  }
})
