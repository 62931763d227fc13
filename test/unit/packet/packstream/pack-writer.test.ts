import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PackWriter } from '../../../../packet/packstream/pack-writer.ts'
import { driverOf } from '../../../support/origins/packstream.ts'
import { sizes } from './bytes.ts'

const writer = new PackWriter()

function packed(value: unknown): Buffer {
  writer.clear()
  writer.value(value)
  return Buffer.from(writer.written)
}

const drivers = (['3', '4x2', '5x0', '6x1'] as const).map(driverOf)
const expectSame = (value: unknown) => {
  const bytes = packed(value)
  for (const { pack } of drivers) expect(bytes.equals(pack(value))).toBe(true)
}

const anyText = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(fc.nat(0xffff), { maxLength: 50 }).map((codes) => String.fromCharCode(...codes)),
)
const anyScalar = fc.oneof(
  anyText,
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.nat(63).chain((bits) => fc.bigInt({ min: -(2n ** BigInt(bits)), max: 2n ** BigInt(bits) - 1n })),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
)
const anyValue = fc.oneof(
  anyScalar,
  fc.array(anyScalar, { maxLength: 20 }),
  fc.dictionary(anyText, anyScalar, { maxKeys: 20 }),
  fc.array(fc.array(anyScalar, { maxLength: 3 }), { maxLength: 3 }),
)

test('values become the bytes that the driver makes of them', () => {
  fc.assert(fc.property(anyValue, expectSame), { numRuns: 5_000 })
})

test.each(sizes)('the head of %i bytes or elements is that of the driver', (size) => {
  expectSame('x'.repeat(size))
  expectSame(`${'x'.repeat(Math.max(0, size - 2))}é`)
  expectSame(Array.from({ length: size }, () => true))
  expectSame(Object.fromEntries(Array.from({ length: size }, (_, at) => [`k${at}`, at % 2 === 0])))
})

test('integers at the edges of each width become the bytes that the driver makes of them', () => {
  for (const bits of [4, 7, 8, 15, 16, 31, 32, 53, 62, 63])
    for (const near of [-2n, -1n, 0n, 1n])
      for (const sign of [1n, -1n]) {
        const value = sign * 2n ** BigInt(bits) + near
        if (BigInt.asIntN(64, value) === value) expectSame(value)
      }
})

test('half a surrogate pair becomes a replacement character, as with the driver', () => {
  for (const text of ['\ud800', 'a\udc00b', `${'x'.repeat(60)}\ud800`]) expectSame(text)
})

test('the memory of a large value does not stay, that of a usual batch does', () => {
  const held = () => writer.written.buffer.byteLength
  expectSame(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, at / 2]))
  const usual = held()
  writer.clear()
  expect(held()).toBe(usual)
  expectSame('x'.repeat(20_000_000))
  expect(held()).toBeGreaterThan(20_000_000)
  writer.clear()
  expect(held()).toBeLessThan(usual)
})
