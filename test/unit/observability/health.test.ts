import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHealth } from '../../../shared/observability/health.ts'
import { createMetrics } from '../../../shared/observability/metrics.ts'
import { parseMetrics } from '../../support/programs/metrics.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'], now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A program with one dependency that can be made unavailable, and counts of its checks. */
function program(isStuck?: () => Promise<string | null>) {
  const asked = { check: 0, measure: 0 }
  const state = { isAway: false, isPaused: false }
  const health = createHealth({
    checks: {
      redis: async () => {
        asked.check++
        if (state.isAway) throw new Error('away')
      },
    },
    metrics: createMetrics(),
    measure: async () => {
      asked.measure++
    },
    isPaused: async () => state.isPaused,
    isStuck,
  })
  return { asked, state, health }
}

test('requests within a second share one check, on any path', async () => {
  const { asked, health } = program()
  await Promise.all(Array.from({ length: 50 }, (_, at) => health(at % 2 === 0 ? '/metrics' : '/readyz')))
  expect(asked).toEqual({ check: 1, measure: 1 })
  vi.advanceTimersByTime(1_001)
  await health('/metrics')
  expect(asked).toEqual({ check: 2, measure: 2 })
})

test('an unavailable dependency is reported after a second', async () => {
  const { state, health } = program()
  expect(await health('/readyz')).toMatchObject({ status: 200 })
  state.isAway = true
  vi.advanceTimersByTime(1_001)
  expect(await health('/readyz')).toMatchObject({ status: 503, body: 'down: redis\n' })
  const told = parseMetrics((await health('/metrics'))?.body ?? '')
  expect(told.sum('packets_dependency_up', { dependency: 'redis' })).toBe(0)
})

test('a stuck program reports why, without checking its dependencies', async () => {
  const { asked, health } = program(async () => 'a reason')
  expect(await health('/livez')).toEqual({ status: 503, type: 'text/plain', body: 'a reason\n' })
  expect(asked).toEqual({ check: 0, measure: 0 })
  expect(await program().health('/livez')).toMatchObject({ status: 200 })
})

test('other paths are not handled', async () => {
  expect(await program().health('/metricsx')).toBeNull()
})

test('a paused queue is mentioned, but the process stays ready', async () => {
  const { state, health } = program()
  state.isPaused = true
  expect(await health('/readyz')).toMatchObject({ status: 200, body: 'ok, but the queue is paused\n' })
  state.isAway = true
  vi.advanceTimersByTime(1_001)
  expect(await health('/readyz')).toMatchObject({ status: 503, body: 'down: redis\n' })
})
