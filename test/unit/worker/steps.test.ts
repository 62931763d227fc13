import type { Job } from 'bullmq'
import { expect, test } from 'vitest'
import type { Config, LimitSettings } from '../../../shared/config/config.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import type { SliceRecords } from '../../../shared/jobs/stored/slice-record.ts'
import { jobVersion } from '../../../shared/jobs/version.ts'
import type { JobPayload } from '../../../shared/queue/queue.ts'
import type { WorkerContext } from '../../../worker/context.ts'
import { stepOf } from '../../../worker/steps.ts'
import { only } from '../../support/values/only.ts'

test.each([
  [30, null],
  [31, 'tooManyPairs'],
  ['superseded', 'jobInterrupted'],
  ['cancelling', 'jobCancelled'],
] as const)(
  'a slice whose job may have 30 pairs, and whose report is answered with %s, has the reason to stop %s',
  async (reply, code) => {
    const config = only<Config>({ limits: only<LimitSettings>({ jobPairs: 30 }) })
    const context = only<WorkerContext>({ config, slices: only<SliceRecords>({ progress: async () => reply }) })
    const delivery = only<Job<JobPayload>>({ data: { id: 'job', slice: 2, version: jobVersion } })
    const step = stepOf(context, only<JobRecord>({ id: 'job' }), delivery)
    const stop = await step.report(1, { subRequestsDone: 1, pairs: 9, parts: 0, bytes: 0 })
    expect(stop?.code ?? null).toBe(code)
  },
)
