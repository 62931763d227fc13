import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderValue } from '../../../../packet/values/render-value.ts'
import { driverOf, propertiesOf } from '../../../support/origins/packstream.ts'
import { referenceOf } from '../../../support/values/reference.ts'
import { integer64, structure } from '../packstream/bytes.ts'
import { testValuesFromBytes } from './values-from-bytes.ts'

testValuesFromBytes(6_000)

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
        for (const numbers of ['plain', 'strict'] as const) {
          const expected = referenceOf(value, numbers)
          expect(propertiesOf({ value }, driver).rendered(0, numbers)).toEqual(expected)
          expect(renderValue(value, numbers)).toEqual(expected)
        }
      },
    ),
    { numRuns: 1_000 },
  )
})
