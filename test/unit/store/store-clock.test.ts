import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStoreClock } from '../../../shared/store/store-clock.ts'

const noon = Date.parse('2026-11-28T12:00:00Z')
const header = 'Sat, 28 Nov 2026 12:00:00 GMT'
const minute = 60_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'], now: noon }))
afterEach(() => void vi.useRealTimers())

/** A clock that has heard noon when the clock of the process was so far ahead of it. */
function heardAt(aheadMs: number) {
  vi.setSystemTime(noon + aheadMs)
  const clock = createStoreClock()
  clock.hear(header)
  return clock
}

test('the clock of the process gives the milliseconds while it agrees with the store', () => {
  const clock = heardAt(345)
  expect(clock.now()).toBe(noon + 345)
  vi.advanceTimersByTime(minute)
  expect(clock.now()).toBe(noon + 345 + minute)
})

test.each([
  ['behind', -10 * minute, 0],
  ['ahead', 10 * minute, 2_000],
  ['two days ahead', 2_880 * minute, 2_000],
])('a process whose clock is %s has the time of the store', (_how, aheadMs, at) => {
  const clock = heardAt(aheadMs)
  expect(clock.now()).toBe(noon + at)
  vi.advanceTimersByTime(minute)
  expect(clock.now()).toBe(noon + at + minute)
})

test('a clock that is set while the process runs changes nothing until the next answer', () => {
  const clock = heardAt(500)
  vi.setSystemTime(noon + 500 + 2_880 * minute)
  expect(clock.now()).toBe(noon + 2_000)
})

test.each([undefined, '', 'yesterday'])('without a time of the store the process has its own: %s', (date) => {
  const clock = createStoreClock()
  clock.hear(date)
  expect(clock.now()).toBe(noon)
})
