import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { renderValue, typeName } from '../../../shared/cypher/values.ts'
import { isPublishable, type Kind } from '../../../shared/packstream/kinds.ts'
import { driverOf, propertiesOf } from '../../support/origins/packstream.ts'
import { anyValue } from '../any-value.ts'
import { integer64, structure } from '../packstream/bytes.ts'

// The reference decodes the same bytes with the driver's own unpacker, and renders what that returns.
test.each(['5x0', '6x0', '4x2'] as const)(
  'a value of Bolt %s is written from its bytes as from what the driver decodes',
  { timeout: 900_000 },
  (version) => {
    const driver = driverOf(version)
    fc.assert(
      fc.property(anyValue, fc.constantFrom('plain' as const, 'strict' as const), (value, numbers) => {
        const properties = propertiesOf({ value }, driver)
        const decoded = driver.unpack(driver.pack(value))
        const expected = version === '4x2' && lacksOffset(decoded) ? null : renderValue(decoded, numbers)
        const of = properties.shape.kinds[0] as Kind
        expect(isPublishable(of)).toBe(expected !== null)
        if (expected) expect(properties.rendered(0, numbers)).toEqual(expected)
        else if (version !== '4x2') expect(properties.typeName(0)).toBe(typeName(decoded))
      }),
      { numRuns: inject('isLong') ? 1_000_000 : 6_000 },
    )
  },
)

test.each([
  ['5x0', 0x49],
  ['4x2', 0x46],
] as const)('a datetime of Bolt %s whose seconds are near 2^53 is exact', (version, tag) => {
  const driver = driverOf(version)
  const offsets = fc.oneof(
    fc.integer({ min: -18, max: 18 }).map((hours) => hours * 3_600),
    fc.integer({ min: -64_800, max: 64_800 }),
  )
  fc.assert(
    fc.property(
      fc.constantFrom(1n, -1n),
      fc.bigInt({ min: -70_000n, max: 70_000n }),
      offsets,
      (sign, apart, offset) => {
        const fields = [integer64(sign * (2n ** 53n + apart)), integer64(1n), integer64(BigInt(offset))]
        const value = driver.unpack(structure(tag, ...fields))
        for (const numbers of ['plain', 'strict'] as const)
          expect(propertiesOf({ value }, driver).rendered(0, numbers)).toEqual(renderValue(value, numbers))
      },
    ),
    { numRuns: 1_000 },
  )
})

const lacksOffset = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(lacksOffset)
    : typeof value === 'object' &&
      value !== null &&
      'timeZoneId' in value &&
      ((value as { timeZoneOffsetSeconds?: unknown }).timeZoneOffsetSeconds ?? null) === null
