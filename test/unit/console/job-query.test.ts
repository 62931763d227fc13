import { expect, test } from 'vitest'
import { queryOf } from '../../../console/pages/job-query.ts'

const query = { org: '', state: '', q: '', callback: '' }

test.each(['constructor', 'toString', '__proto__', 'tomorrow', ''])(
  'the time %j in the address of the jobs page, which is none of its times, limits nothing',
  (when) => {
    expect(queryOf({ ...query, when })).toEqual({})
  },
)

test('yesterday ends when today begins, and the last hour begins an hour ago', () => {
  const [yesterday, today] = ['yesterday', 'today'].map((when) => queryOf({ ...query, when }))
  expect([yesterday?.until, today?.until]).toEqual([today?.since, undefined])
  expect(Date.parse(yesterday?.since ?? '')).toBeLessThan(Date.parse(today?.since ?? ''))
  const { since } = queryOf({ ...query, when: 'hour' })
  expect(Math.abs(Date.now() - Date.parse(since ?? '') - 3_600_000)).toBeLessThan(5_000)
})
