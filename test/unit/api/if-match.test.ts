import { expect, test } from 'vitest'
import { parseIfMatch } from '../../../api/http/if-match.ts'

test.each([
  [undefined, null],
  ['*', null],
  ['"0"', [0]],
  ['"3", "12"', [3, 12]],
  ['3', [3]],
  ['W/"3"', [3]],
  ['W/"3", "5"', [3, 5]],
  ['w/"3"', []],
  ['"x", "4"', [4]],
  ['', []],
])('%s allows the envers %j', (header, envers) => {
  expect(parseIfMatch(header)).toEqual(envers)
})
