import { describe, expect, test } from 'vitest'
import type { Issue } from '../../../shared/errors/app-error.ts'
import * as errors from '../../../shared/errors/catalogue.ts'
import { parseMulti } from '../../../shared/request/multi.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { unknownField } from '../../../shared/validation/issues.ts'
import { request } from '../valid-request.ts'

const issuesOf = (changes: Record<string, unknown>) => parsePublishRequest(request(changes)).issues
const notAString = (index: number): Issue => ({ path: `originIds[${index}]`, message: 'must be a string' })
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('a list', () => {
  test('a list reports up to a hundred invalid elements', () => {
    expect(issuesOf({ originIds: numbers(100) })).toEqual(numbers(100).map(notAString))
    const fine = Array.from({ length: 500 }, (_, index) => String(index))
    expect(issuesOf({ originIds: [...fine, 7, 'x', null] })).toEqual([notAString(500), notAString(502)])
  })

  test('a list reports the first hundred invalid elements, and how many were not checked', () => {
    expect(issuesOf({ originIds: numbers(2_000_000) })).toEqual([
      ...numbers(100).map(notAString),
      {
        path: 'originIds',
        message: 'has too many invalid elements: the 1999900 after [99] were not checked',
      },
    ])
  })

  test('a list may have at most 10,000 names', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`)
    expect(issuesOf({ deleteProperties: names(10_000) })).toEqual([])
    expect(issuesOf({ deleteProperties: names(10_001) })).toEqual([
      { path: 'deleteProperties', message: 'must have at most 10000 elements' },
    ])
  })
})

describe('a map', () => {
  const labels = (count: number) => Object.fromEntries(numbers(count).map((index) => [`L${index}`, 0]))

  test('a map reports the first hundred invalid entries, and how many were not checked', () => {
    const issues = issuesOf({ dynamicLabels: labels(5_000) })
    expect(issues.slice(0, 1)).toEqual([{ path: 'dynamicLabels.L0', message: 'must be an array' }])
    expect(issues.slice(100)).toEqual([
      {
        path: 'dynamicLabels',
        message: 'has too many invalid entries: the 4900 after these were not checked',
      },
    ])
  })

  test('a map reports the first hundred unknown fields, and how many more there are', () => {
    const issues = issuesOf(labels(5_000))
    expect(issues.slice(0, 1)).toEqual([{ path: 'L0', message: 'unknown field' }])
    expect(issues.slice(100)).toEqual([{ path: '', message: 'has 4900 more unknown fields' }])
  })
})

test('the sub-requests of a multi are checked until a thousand rules are broken', () => {
  const issues = parseMulti(Array.from({ length: 10_000 }, () => ({}))).issues
  const [first, second] = issues
  expect(first).toEqual({
    path: '',
    message: 'the 9875 sub-requests after [124] were not checked, as too many rules are broken',
  })
  expect(second).toEqual({ path: '[0].dbUrl', message: 'required' })
  expect(issues.at(-1)?.path).toMatch(/^\[124]/)
})

test('a request reports a thousand broken rules, and how many more there are', () => {
  const broken = (count: number) => Array.from({ length: count }, (_, index) => notAString(index))
  expect(errors.invalidRequest(broken(1_000)).issues).toEqual(broken(1_000))
  const { issues, message } = errors.invalidRequest(broken(1_234))
  expect(issues).toEqual([...broken(1_000), { path: '', message: '234 more issues not listed' }])
  expect(message).toMatch(/originIds\[999]: must be a string; 234 more issues not listed$/)
})

describe('a name in a request', () => {
  test('a name in a request is shown in full up to 200 characters', () => {
    const [name, longer] = ['x'.repeat(200), 'x'.repeat(201)]
    expect(issuesOf({ [name]: 1, [longer]: 1 }).map(({ path }) => path)).toEqual([name, `${name}…`])
    expect(issuesOf({ mappedIndices: { DEFAULT_INDEX: 'P', DEFAULT_ID_FIELD: 'id', [longer]: 7 } })[0]?.path).toBe(
      `mappedIndices.${name}…`,
    )
  })

  test('a name in a request gets no suggestion if no known name can be close', () => {
    expect(unknownField(`${'x'.repeat(60)}preventCleanup`, ['preventCleanup'])).toBe('unknown field')
  })

  test('a name in a request may be as long as a database accepts, and no longer', () => {
    expect(issuesOf({ targetFilter: 'x'.repeat(65_535) })).toEqual([])
    expect(issuesOf({ targetFilter: 'x'.repeat(65_536) })).toEqual([
      { path: 'targetFilter', message: 'must be at most 65535 characters' },
    ])
    const type = `<\`${'``'.repeat(65_535)}\``
    expect(issuesOf({ toLayer: [type] })).toEqual([])
    expect(issuesOf({ toLayer: [`${type.slice(0, -1)}a\``] })).toHaveLength(1)
  })
})

test('thousands of distinct requests are compared in one pass', () => {
  const kinds = (at: string, relationshipIdField: string) =>
    Array.from({ length: 3_000 }, (_, index) => request({ relationships: [`${at}${index}`], relationshipIdField }))
  const [some, others] = [kinds('A', 'grn'), kinds('B', 'uid')]
  expect(parseMulti([...some, ...others]).issues).toEqual([])
  expect(
    parseMulti([...some, ...others, request({ relationships: ['A7'], relationshipIdField: 'uid' })]).issues,
  ).toEqual([{ path: '[6000].relationshipIdField', message: 'must be the same as in [7]' }])
})
