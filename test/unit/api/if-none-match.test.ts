import { expect, test } from 'vitest'
import { isNamed } from '../../../api/http/if-none-match.ts'

test.each([
  ['W/"a"', 'W/"a"', true],
  ['W/"a"', '"a"', true],
  ['"a"', 'W/"a"', true],
  ['W/"a"', '"b", W/"a"', true],
  ['W/"a"', '"b","a"', true],
  ['W/"a"', ' * ', true],
  ['W/"a"', '"b"', false],
  ['W/"a"', 'a', false],
  ['W/"a"', 'w/"a"', false],
  ['W/"a"', '', false],
  ['W/"a"', undefined, false],
  [undefined, '*', false],
  [undefined, '"a"', false],
])('the tag %s is named by %j: %s', (tag, header, expected) => {
  expect(isNamed(tag, header)).toBe(expected)
})
