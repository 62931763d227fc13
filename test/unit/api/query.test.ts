import { expect, test } from 'vitest'
import { parseQuery } from '../../../api/http/query.ts'
import type { AppError } from '../../../shared/errors/app-error.ts'

function refusal(text: string): string {
  try {
    parseQuery(text)
  } catch (error) {
    return `${(error as AppError).status} ${(error as AppError).message}`
  }
  return 'none'
}

test.each([
  [null, {}],
  ['', {}],
  ['a=1&b=', { a: '1', b: '' }],
  ['a=1&a=2', { a: ['1', '2'] }],
  ['a=x+y%20z&%C3%A9=%E2%82%AC', { a: 'x y z', é: '€' }],
  ['a=b=c&d', { a: 'b=c', d: '' }],
])('the query %j is parsed as %j', (text, query) => {
  expect({ ...parseQuery(text) }).toEqual(query)
})

test('a query may have 1,000 parameters; more are rejected, not dropped', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `f=${index}`).join('&')
  expect((parseQuery(many(1_000)).f as string[]).at(-1)).toBe('999')
  expect(refusal(many(1_001))).toBe('400 the query must have at most 1000 parameters')
})

test.each(['a=%E9', 'a=%', 'a=%zz', '%E2%82=1', 'a=%ED%A0%80', 'a=100%&b=1'])(
  'the query %s is rejected: it is not validly percent-encoded',
  (text) => {
    expect(refusal(text)).toBe('400 the query must be validly percent-encoded')
  },
)
