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
