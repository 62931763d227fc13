import { expect, test } from 'vitest'
import { kind, list } from '../../../../packet/packstream/kinds.ts'
import { passValue } from '../../../../packet/packstream/pass-value.ts'
import { originCursor } from '../../../../shared/origin/origin-cursor.ts'
import { broke, float, head, listOf, open, structure, text } from './bytes.ts'

const tiny = Buffer.of(5)

test.each([
  ['a date of two fields', structure(0x44, tiny, tiny)],
  ['a date without fields', structure(0x44)],
  ['a date that is a text', structure(0x44, text('x'))],
  ['a local time of two fields', structure(0x74, tiny, tiny)],
  ['a local datetime of a field', structure(0x64, tiny)],
  ['a time of three fields', structure(0x54, tiny, tiny, tiny)],
  ['a datetime of two fields', structure(0x49, tiny, tiny)],
  ['a local datetime of four fields', structure(0x46, tiny, tiny, tiny, tiny)],
  ['a datetime in a zone that is a number', structure(0x69, tiny, tiny, tiny)],
  ['a datetime in a zone of four fields', structure(0x69, tiny, tiny, text('UTC'), tiny)],
  ['a duration of three fields', structure(0x45, tiny, tiny, tiny)],
  ['a duration of a float', structure(0x45, tiny, tiny, tiny, float(1))],
  ['a point of an axis', structure(0x58, tiny, float(1))],
  ['a point of integers', structure(0x58, tiny, tiny, tiny)],
  ['a point in space of two axes', structure(0x59, tiny, float(1), float(1))],
])('%s is refused', (_, value) => {
  expect(() => passValue(open(value))).toThrow(broke)
  expect(() => passValue(open(listOf(value)))).toThrow(broke)
})

test('a list of many thousand maps is passed without decoding them', () => {
  const maps = Buffer.alloc(100_000, 0xa0)
  const value = Buffer.concat([head(0xd6, 4, maps.length), maps])
  expect(passValue(originCursor().open(value, 0, value.length))).toBe(list + kind.other)
})
