import { describe, expect, test } from 'vitest'
import type { Issue } from '../../../shared/errors/app-error.ts'
import * as errors from '../../../shared/errors/catalogue.ts'
import { parseMulti } from '../../../shared/publish/request/multi.ts'
import { parsePublishRequest } from '../../../shared/publish/request/rules.ts'
import { unknownField } from '../../../shared/validation/issues.ts'
import { request } from '../valid-request.ts'

const issuesOf = (changes: Record<string, unknown>) => parsePublishRequest(request(changes)).issues
const notAString = (index: number): Issue => ({ path: `originIds[${index}]`, message: 'must be a string' })
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('of one list', () => {
  test('a hundred broken elements are told, all there are', () => {
    expect(issuesOf({ originIds: numbers(100) })).toEqual(numbers(100).map(notAString))
    const fine = Array.from({ length: 500 }, (_, index) => String(index))
    expect(issuesOf({ originIds: [...fine, 7, 'x', null] })).toEqual([notAString(500), notAString(502)])
  })

  test('of more, the first hundred, and how many were not checked', () => {
    expect(issuesOf({ originIds: numbers(2_000_000) })).toEqual([
      ...numbers(100).map(notAString),
      {
        path: 'originIds',
        message: 'has too many that break a rule: the 1999900 elements after [99] were not checked',
      },
    ])
  })

  test('names may be ten thousand', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`)
    expect(issuesOf({ deleteProperties: names(10_000) })).toEqual([])
    expect(issuesOf({ deleteProperties: names(10_001) })).toEqual([
      { path: 'deleteProperties', message: 'must have at most 10000 elements' },
    ])
  })
})

describe('of one map', () => {
  const labels = (count: number) => Object.fromEntries(numbers(count).map((index) => [`L${index}`, 0]))

  test('of more than a hundred broken entries, the first, and how many were not checked', () => {
    const issues = issuesOf({ dynamicLabels: labels(5_000) })
    expect(issues.slice(0, 1)).toEqual([{ path: 'dynamicLabels.L0', message: 'must be an array' }])
    expect(issues.slice(100)).toEqual([
      {
        path: 'dynamicLabels',
        message: 'has too many that break a rule: the 4900 entries after these were not checked',
      },
    ])
  })

  test('of more than a hundred unknown fields, the first, and how many more there are', () => {
    const issues = issuesOf(labels(5_000))
    expect(issues.slice(0, 1)).toEqual([{ path: 'L0', message: 'unknown field' }])
    expect(issues.slice(100)).toEqual([{ path: '', message: 'has 4900 more unknown fields' }])
  })
})

test('of a multi, sub-requests are checked until a thousand rules are broken', () => {
  const issues = parseMulti(Array.from({ length: 10_000 }, () => ({}))).issues
  const [first, second] = issues
  expect(first).toEqual({
    path: '',
    message: 'the 9875 sub-requests after [124] were not checked, as too many rules are broken',
  })
  expect(second).toEqual({ path: '[0].dbUrl', message: 'required' })
  expect(issues.at(-1)?.path).toMatch(/^\[124]/)
})

test('of one request a thousand rules are told, and how many more there are', () => {
  const broken = (count: number) => Array.from({ length: count }, (_, index) => notAString(index))
  expect(errors.invalidRequest(broken(1_000)).issues).toEqual(broken(1_000))
  const { issues, message } = errors.invalidRequest(broken(1_234))
  expect(issues).toEqual([...broken(1_000), { path: '', message: 'broken rules that are not listed: 234' }])
  expect(message).toMatch(/originIds\[999]: must be a string; broken rules that are not listed: 234$/)
})

describe('a name of the request', () => {
  test('is shown in full up to 200 characters', () => {
    const [name, longer] = ['x'.repeat(200), 'x'.repeat(201)]
    expect(issuesOf({ [name]: 1, [longer]: 1 }).map(({ path }) => path)).toEqual([name, `${name}…`])
    expect(issuesOf({ mappedIndices: { DEFAULT_INDEX: 'P', DEFAULT_ID_FIELD: 'id', [longer]: 7 } })[0]?.path).toBe(
      `mappedIndices.${name}…`,
    )
  })

  test('gets no guess when nothing can be near to it', () => {
    expect(unknownField(`${'x'.repeat(60)}preventCleanup`, ['preventCleanup'])).toBe('unknown field')
  })

  test('may be as long as a database takes one, and no longer', () => {
    expect(issuesOf({ targetFilter: 'x'.repeat(65_535) })).toEqual([])
    expect(issuesOf({ targetFilter: 'x'.repeat(65_536) })).toEqual([
      { path: 'targetFilter', message: 'must be at most 65535 characters' },
    ])
    const type = `<\`${'``'.repeat(65_535)}\``
    expect(issuesOf({ toLayer: [type] })).toEqual([])
    expect(issuesOf({ toLayer: [`${type.slice(0, -1)}a\``] })).toHaveLength(1)
  })
})

test('requests of thousands of kinds are held against each other in one pass', () => {
  const kinds = (at: string, relationshipIdField: string) =>
    Array.from({ length: 3_000 }, (_, index) => request({ relationships: [`${at}${index}`], relationshipIdField }))
  const [some, others] = [kinds('A', 'grn'), kinds('B', 'uid')]
  expect(parseMulti([...some, ...others]).issues).toEqual([])
  expect(
    parseMulti([...some, ...others, request({ relationships: ['A7'], relationshipIdField: 'uid' })]).issues,
  ).toEqual([{ path: '[6000].relationshipIdField', message: 'must be the same as in [7]' }])
})
