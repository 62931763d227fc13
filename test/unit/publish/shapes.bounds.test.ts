import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { LabelSets } from '../../../shared/origin/labels.ts'
import { originCursor } from '../../../shared/origin/origin-cursor.ts'
import { readProperties } from '../../../shared/origin/properties.ts'
import { Shapes } from '../../../shared/origin/shapes.ts'
import { driverOf } from '../../support/origins/packstream.ts'
import { broke, head } from '../packet/packstream/bytes.ts'

const { unpack } = driverOf('5x0')

/** Texts of seven characters, each with the value 1 behind it if they are keys. */
const texts = (count: number, prefix: string, after = '') =>
  Array.from({ length: count }, (_, index) => `\x87${prefix}${String(index).padStart(6, '0')}${after}`).join('')

function keysOf(shapes: Shapes, count: number, entries: Buffer): readonly string[] {
  const map = Buffer.concat([head(0xda, 4, count), entries])
  const source = { rows: { bytes: map, unpack }, positions: [] }
  return readProperties(originCursor().open(map, 0, map.length), shapes, source).shape.keys
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const heapMiB = () => {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}

test('shapes of which each begins as the one before take bounded memory', () => {
  const shapes = new Shapes()
  const before = heapMiB()
  for (let chain = 0; chain < 20; chain++) {
    const entries = Buffer.from(texts(500, String.fromCharCode(97 + chain), '\x01'), 'latin1')
    for (let count = 1; count <= 500; count++)
      expect(keysOf(shapes, count, entries.subarray(0, 9 * count))).toHaveLength(count)
  }
  // Without a bound they took some 70 bytes for each of 2,500,000 keys.
  expect(heapMiB() - before).toBeLessThan(60)
  // Used again: else they would be collected before they are measured.
  expect(keysOf(shapes, 0, Buffer.alloc(0))).toEqual([])
})

test('an element of 500,000 properties is read, and one of more is refused', () => {
  const entries = Buffer.from(texts(500_001, 'k', '\x01'), 'latin1')
  expect(keysOf(new Shapes(), 500_000, entries.subarray(0, -9))).toHaveLength(500_000)
  expect(() => keysOf(new Shapes(), 500_001, entries)).toThrow(broke)
})

test('a node of 10,000 labels is read, and one of more is refused', () => {
  const labels = Buffer.from(texts(10_001, 'L'), 'latin1')
  const read = (count: number) => {
    const list = Buffer.concat([head(0xd6, 4, count), labels.subarray(0, 8 * count)])
    return new LabelSets().read(originCursor().open(list, 0, list.length))
  }
  expect(read(10_000)).toHaveLength(10_000)
  expect(() => read(10_001)).toThrow(broke)
})
