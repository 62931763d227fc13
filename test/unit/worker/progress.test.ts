import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { trackProgress } from '../../../worker/progress.ts'
import type { Step } from '../../../worker/steps.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('progress is not sent again while Redis has not answered', async () => {
  const answers: (() => void)[] = []
  const report = () => new Promise<null>((resolve) => answers.push(() => resolve(null)))
  const log = { warn: () => {} } as never
  const tracking = trackProgress({ log }, { report } as unknown as Step, 1, new AbortController().signal)
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(answers).toHaveLength(1)
  answers[0]?.()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(answers).toHaveLength(2)
  tracking.stop()
})

test('progress is sent again after Redis has failed, and the answer to stop still ends the run', async () => {
  const stop = new Error('superseded')
  const report = vi.fn<() => Promise<Error | null>>().mockRejectedValueOnce(new Error('away')).mockResolvedValue(stop)
  const log = { warn: vi.fn() }
  const step = { report } as unknown as Step
  const tracking = trackProgress({ log: log as never }, step, 1, new AbortController().signal)
  await vi.advanceTimersByTimeAsync(1_000)
  expect([log.warn.mock.calls.length, tracking.signal.reason]).toEqual([1, stop])
  tracking.stop()
})
