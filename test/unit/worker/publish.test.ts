import { randomUUID } from 'node:crypto'
import type { Job } from 'bullmq'
import { expect, test, vi } from 'vitest'
import type { Config, LimitSettings } from '../../../shared/config/config.ts'
import { type JobRecord, progressOf } from '../../../shared/jobs/job.ts'
import { orderOf } from '../../../shared/jobs/order.ts'
import { storeSliceResult } from '../../../shared/jobs/stored/results.ts'
import { createReport } from '../../../shared/publish/report/report.ts'
import type { JobPayload, JobQueue } from '../../../shared/queue/queue.ts'
import { planKey } from '../../../shared/storage/keys.ts'
import type { WorkerContext } from '../../../worker/context.ts'
import { publishJob } from '../../../worker/publish.ts'
import { openMemoryStore } from '../../support/storage/memory-store.ts'
import { only } from '../../support/values/only.ts'

const jobPairs = 30

/** A run of a large multi of three slices of 15 pairs each, of which the first `built` are built. */
async function runAfter(built: number, state: JobRecord['state']) {
  const store = openMemoryStore()
  const job = only<JobRecord>({
    id: randomUUID(),
    orgName: 'org',
    fileName: 'file',
    state,
    attempt: 1,
    order: orderOf({ batchSize: 1, force: false }),
    progress: progressOf('reading', 45),
  })
  await store.put(planKey(job.orgName, job.id), Buffer.from(JSON.stringify({ slices: [0, 1, 2], treatments: [] })))
  for (let slice = 0; slice < built; slice++) {
    const parts = [{ key: `part-${slice}`, bytes: 1, pairs: 15, etag: 'e', sha256: '', statements: {} }]
    await storeSliceResult(store, job, slice, {
      run: 'one',
      parts,
      parameterSyntax: 'braces',
      numbers: 'plain',
      report: createReport().read(),
      observations: [],
    })
  }
  const addSlices = vi.fn(async () => {
    throw new Error('queued')
  })
  const config = only<Config>({ limits: only<LimitSettings>({ jobPairs }) })
  const context = only<WorkerContext>({ store, config, queue: only<JobQueue>({ addSlices }), failpoint: () => {} })
  const run = { attempt: 1, signal: new AbortController().signal, onProgress: () => {} }
  return { done: publishJob(context, job, run, only<Job<JobPayload>>({})), addSlices, job }
}

test('a large multi whose slices together have more pairs than a job may have is refused', async () => {
  const { done } = await runAfter(3, 'running')
  await expect(done).rejects.toMatchObject({ status: 413, code: 'tooManyPairs' })
})

test('a missing slice is queued before the commit has begun, and never built again after that', async () => {
  const before = await runAfter(2, 'running')
  await expect(before.done).rejects.toThrow('queued')
  expect(before.addSlices).toHaveBeenCalledExactlyOnceWith(before.job, [2])
  const after = await runAfter(2, 'committing')
  await expect(after.done).rejects.toMatchObject({ status: 503, code: 'storeAway' })
  expect(after.addSlices).not.toHaveBeenCalled()
})
