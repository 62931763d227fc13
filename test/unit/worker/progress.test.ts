import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Config, LimitSettings } from '../../../shared/config/config.ts'
import type { JobRecords } from '../../../shared/jobs/job-records.ts'
import type { WorkerContext } from '../../../worker/context.ts'
import { trackProgress } from '../../../worker/progress.ts'
import { only } from '../../support/values/only.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

type Reply = ReturnType<JobRecords['progress']>

/** Tracks a slice of a job that may have 30 pairs, whose reports are answered by `progress`. */
function track(progress: () => Reply) {
  const warn = vi.fn()
  const context = only<WorkerContext>({
    records: only<JobRecords>({ progress }),
    config: only<Config>({ limits: only<LimitSettings>({ jobPairs: 30 }) }),
    log: { warn } as never,
  })
  return { ...trackProgress(context, { id: 'job', slice: 2 }, 1, new AbortController().signal), warn }
}

test('progress is not sent again while Redis has not answered', async () => {
  const answers: (() => void)[] = []
  const tracking = track(() => new Promise((resolve) => answers.push(() => resolve(null))))
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(answers).toHaveLength(1)
  answers[0]?.()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(answers).toHaveLength(2)
  tracking.stop()
})

test('progress is sent again after Redis has failed, and the answer to stop still ends the run', async () => {
  const progress = vi.fn<() => Reply>().mockRejectedValueOnce(new Error('away')).mockResolvedValue('superseded')
  const tracking = track(progress)
  await vi.advanceTimersByTimeAsync(1_000)
  expect([tracking.warn.mock.calls.length, tracking.signal.reason.code]).toEqual([1, 'jobInterrupted'])
  tracking.stop()
})

test.each([
  [30, null],
  [31, 'tooManyPairs'],
  ['superseded', 'jobInterrupted'],
  ['cancelling', 'jobCancelled'],
] as const)(
  'a slice whose job may have 30 pairs, and whose report is answered with %s, has the reason to stop %s',
  async (reply, code) => {
    const tracking = track(async () => reply)
    expect((await tracking.report())?.code ?? null).toBe(code)
    tracking.stop()
  },
)
