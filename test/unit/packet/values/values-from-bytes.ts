import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderValue, typeName } from '../../../../shared/packet/values/values.ts'
import { isPublishable, type Kind } from '../../../../shared/packstream/kinds.ts'
import { driverOf, propertiesOf } from '../../../support/origins/packstream.ts'
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
        { numRuns: count },
      )
    },
  )
}
