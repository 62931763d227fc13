import { expect, test } from 'vitest'
import { kind } from '../../../../packet/packstream/kinds.ts'
import { passValue } from '../../../../packet/packstream/pass-value.ts'
import { integer64, open, structure, text } from './bytes.ts'

const zoned = (second: number, nanosecond: number) =>
  structure(0x69, integer64(BigInt(second)), integer64(BigInt(nanosecond)), text('UTC'))

const most = 8_640_000_000_000

test.each([
  ['the last readable millisecond', most, 999_999, true],
  ['a millisecond too late', most, 1_000_000, false],
  ['a second too late', most + 1, 0, false],
  ['the first readable second', -most, 0, true],
  ['a nanosecond too early', -most - 1, 999_999_999, false],
  ['a second too early', -most - 1, 0, false],
])('a datetime in a zone, %s, is publishable if the driver can read it', (_, second, nanosecond, isReadable) => {
  expect(passValue(open(zoned(second, nanosecond)))).toBe(isReadable ? kind.dateTimeByFields : kind.other)
})
