import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPublishable, type Kind } from '../../../../packet/packstream/kinds.ts'
import { renderValue, typeName } from '../../../../packet/values/render-value.ts'
import { driverOf, propertiesOf } from '../../../support/origins/packstream.ts'
import { referenceOf } from '../../../support/values/reference.ts'
import { anyValue } from '../../any-value.ts'

const lacksOffset = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(lacksOffset)
    : typeof value === 'object' &&
      value !== null &&
      'timeZoneId' in value &&
      ((value as { timeZoneOffsetSeconds?: unknown }).timeZoneOffsetSeconds ?? null) === null

/** Registers a test for each version of Bolt, with this many generated values. */
export function testValuesFromBytes(count: number): void {
  // The driver's own unpacker decodes the same bytes, and the reference renders what that returns.
  test.each(['5x0', '6x0', '4x2'] as const)(
    'a value of Bolt %s is written from its bytes as from what the driver decodes',
    { timeout: 900_000 },
    (version) => {
      const driver = driverOf(version)
      fc.assert(
        fc.property(anyValue, fc.constantFrom('plain' as const, 'strict' as const), (value, numbers) => {
          const properties = propertiesOf({ value }, driver)
          const decoded = driver.unpack(driver.pack(value))
          const expected = version === '4x2' && lacksOffset(decoded) ? null : referenceOf(decoded, numbers)
          const of = properties.shape.kinds[0] as Kind
          expect(isPublishable(of)).toBe(expected !== null)
          expect(renderValue(decoded, numbers)).toEqual(expected)
          if (expected) expect(properties.rendered(0, numbers)).toEqual(expected)
          else if (version !== '4x2') expect(properties.typeName(0)).toBe(typeName(decoded))
        }),
        { numRuns: count },
      )
    },
  )
}
