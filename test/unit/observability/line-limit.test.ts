import { expect, test } from 'vitest'
import { createLineLimit } from '../../../shared/observability/line-limit.ts'

test('ten lines a minute are written about one cause, and the next minute says how many were left out', () => {
  let now = 0
  const admit = createLineLimit(() => now)
  const lines = (cause: string, count: number) => Array.from({ length: count }, () => admit(cause))
  expect(lines('rights', 25)).toEqual([...Array(10).fill(0), ...Array(15).fill(null)])
  expect(admit('full')).toBe(0)
  now = 59_999
  expect(admit('rights')).toBeNull()
  now = 60_000
  expect(lines('rights', 2)).toEqual([16, 0])
})
