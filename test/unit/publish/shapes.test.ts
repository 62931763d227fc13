import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { kind, list } from '../../../packet/packstream/kinds.ts'
import { LabelSets } from '../../../shared/origin/labels.ts'
import { originCursor } from '../../../shared/origin/origin-cursor.ts'
import { readProperties } from '../../../shared/origin/properties.ts'
import { Shapes } from '../../../shared/origin/shapes.ts'
import { driverOf, propertiesOf } from '../../support/origins/packstream.ts'
import { busySeconds } from '../../support/programs/busy-seconds.ts'
import { anyProperties } from '../any-value.ts'
import { head } from '../packet/packstream/bytes.ts'

const driver = driverOf('5x0')
const broke = expect.objectContaining({ status: 502, code: 'originBroke' })

/** A map with these keys, each with the value 1. */
const mapOf = (keys: readonly string[]) =>
  Buffer.concat([head(0xda, 4, keys.length), ...keys.flatMap((key) => [driver.pack(key), Buffer.of(1)])])

const read = (shapes: Shapes, map: Buffer) => {
  const source = { rows: { bytes: map, unpack: driver.unpack }, positions: [] }
  return readProperties(originCursor().open(map, 0, map.length), shapes, source)
}

test('any properties are read back, whatever was read before and in whatever order their keys come', () => {
  const shapes = new Shapes()
  fc.assert(
    fc.property(fc.array(anyProperties(['a', 'b', 'é', '', 'a b', '__proto__']), { maxLength: 8 }), (all) => {
      for (const values of all) {
        const properties = propertiesOf(values, driver, shapes)
        expect(properties.shape.keys).toEqual([...values.keys()])
        for (const [key, value] of values) expect(properties.value(key)).toEqual(driver.unpack(driver.pack(value)))
        expect(properties.value('c')).toBeNull()
      }
    }),
    { numRuns: 200 },
  )
})

test('elements with equal keys and kinds in the same order share a shape, and no others do', () => {
  const shapes = new Shapes()
  const shapeOf = (values: Record<string, unknown>) => propertiesOf(values, driver, shapes).shape
  const first = shapeOf({ a: 1n, b: 'x' })
  expect(shapeOf({ a: 2n, b: 'y' })).toBe(first)
  const others = [{ b: 'x', a: 1n }, { a: 2n ** 60n, b: 'x' }, { a: 1n }, { a: 1n, b: ['x'] }, { a: 1n, b: null }, {}]
  const all = [first, ...others.map(shapeOf), shapeOf({ a: 1n, b: 'x', c: 1n })]
  expect(new Set(all).size).toBe(all.length)
  expect(shapeOf({ a: 3n, b: 'z' })).toBe(first)
  expect(first.kinds).toEqual([kind.safeInteger, kind.string])
  expect(shapeOf({ a: [1n] }).kinds).toEqual([list + kind.safeInteger])
})

test('a property that is null is one that the element does not have', () => {
  const properties = propertiesOf({ a: null, b: 1n })
  expect([properties.kindOf('a'), properties.shape.indexOf('a'), properties.value('a')]).toEqual([
    kind.absent,
    -1,
    null,
  ])
  expect([properties.kindOf('b'), properties.value('b'), properties.kindOf('c')]).toEqual([
    kind.safeInteger,
    1n,
    kind.absent,
  ])
})

test('shapes stay right when there are very many of them, and are found in linear time', () => {
  const shapes = new Shapes()
  const keysAt = (at: number) => [`k${at % 30_011}`, `${at}`, 'x'.repeat(at % 200)]
  const seconds = busySeconds(() => {
    for (let at = 0; at < 60_000; at++)
      expect(read(shapes, mapOf(keysAt(at))).shape.keys.join()).toBe(keysAt(at).join())
  })
  expect(seconds).toBeLessThan(10)
  // The automaton may forget all while it reads the first of these.
  const [, second, third] = [1, 2, 3].map(() => read(shapes, mapOf(['one', 'other'])).shape)
  expect(third).toBe(second)
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const heapMiB = () => {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}

test('shapes of wide elements that differ in one key take bounded memory', () => {
  const shapes = new Shapes()
  const common = Array.from({ length: 499 }, (_, index) => `key${index}`)
  const before = heapMiB()
  for (let at = 0; at < 3_000; at++)
    expect(read(shapes, mapOf([...common, `own${at}`])).shape.keys[499]).toBe(`own${at}`)
  // Without a bound they took 35 KB each.
  expect(heapMiB() - before).toBeLessThan(50)
  // Used again: else they would be collected before they are measured.
  expect(read(shapes, mapOf([])).shape.keys).toEqual([])
})

test.each([499, 500, 501, 3_000])('an element of %i properties is read', (count) => {
  const shapes = new Shapes()
  const values = new Map(Array.from({ length: count }, (_, index) => [`k${index}`, BigInt(index)] as const))
  for (const _ of [1, 2]) {
    const properties = propertiesOf(values, driver, shapes)
    expect(properties.shape.keys).toEqual([...values.keys()])
    expect([properties.value('k0'), properties.value(`k${count - 1}`)]).toEqual([0n, BigInt(count - 1)])
  }
})

test.each([2, 600])('a map of %i entries that has a key twice is refused each time', (count) => {
  const shapes = new Shapes()
  const keys = Array.from({ length: count }, (_, index) => `k${index}`)
  keys[count - 1] = 'k0'
  for (const _ of [1, 2, 3]) expect(() => read(shapes, mapOf(keys))).toThrow(broke)
  expect(read(shapes, mapOf(keys.slice(0, -1))).shape.keys).toHaveLength(count - 1)
})

test.each([
  ['a key that is no text', [0xa1, 1, 1]],
  ['a key without a value', [0xa1, 0x81, 0x61]],
  ['fewer entries than it tells', [0xa3, 0x81, 0x61, 1]],
  ['no map', [0x91, 1]],
])('properties with %s are refused', (_, bytes) => {
  expect(() => read(new Shapes(), Buffer.from(bytes))).toThrow(broke)
})

/** Reads the labels of several nodes, as the same memory is used for each of them. */
function labelsOf(sets: LabelSets, ...all: string[][]) {
  const memory = Buffer.alloc(20_000)
  return all.map((labels) => {
    const packed = driver.pack(labels)
    packed.copy(memory)
    const cursor = originCursor().open(memory, 0, packed.length)
    const found = sets.read(cursor)
    expect(cursor.at).toBe(packed.length)
    expect(found).toEqual(labels)
    return found
  })
}

test('nodes with equal labels share one list of them, so that it is compared by reference', () => {
  const sets = new LabelSets()
  const [one, two, again, none, twoAgain, nothing] = labelsOf(sets, ['A'], ['A', 'B'], ['A'], [], ['A', 'B'], [])
  expect([again === one, twoAgain === two, nothing === none]).toEqual([true, true, true])
  expect(new Set([one, two, none]).size).toBe(3)
})

test('labels stay right when there are very many sets of them, and when they are long', () => {
  const sets = new LabelSets()
  const many = Array.from({ length: 3_000 }, (_, index) => [`L${index % 1_500}`, 'é'.repeat(index % 700)])
  labelsOf(sets, ...many, ['A'.repeat(1_001)], ['A'.repeat(1_001)], ['A'])
})

test.each([
  ['that are no list', [0x81, 0x61]],
  ['of which one is no text', [0x92, 0x81, 0x61, 1]],
  ['that are cut off', [0x92, 0x81, 0x61, 0x81]],
])('labels %s are refused, also after others', (_, bytes) => {
  const sets = new LabelSets()
  labelsOf(sets, ['a'], ['a', 'b'])
  const buffer = Buffer.concat([Buffer.from(bytes), Buffer.from([0x62])])
  expect(() => sets.read(originCursor().open(buffer, 0, bytes.length))).toThrow(broke)
})
