import { randomUUID } from 'node:crypto'
import { DelayedError, type Job } from 'bullmq'
import { expect, test, vi } from 'vitest'
import type { JobPayload } from '../../../shared/jobs/queue.ts'
import { createMetrics } from '../../../shared/observability/metrics.ts'
import type { WorkerContext } from '../../../worker/context.ts'
import { runJob } from '../../../worker/run-job.ts'

const id = randomUUID()
const created = { createdAt: '2026-11-22T12:00:00.000Z', startedAt: '2026-11-22T12:00:01.000Z' }
const record = {
  id,
  ...created,
  orgName: 'org',
  fileName: 'file',
  state: 'running',
  progress: { subRequests: 1 },
  version: 2,
}

/** A worker whose Redis fails with `failure` in the middle of a run, and works before and after. */
function workerWith(failure: Error) {
  const finish = vi.fn(async () => true)
  const records = {
    read: async () => record,
    start: async () => 3,
    endRun: async () => {},
    progress: async () => null,
    finish,
  }
  const context = {
    ...{ records, log: { info() {}, warn() {} }, metrics: createMetrics() },
    queue: { begun: async () => {} },
    generations: { ofJob: async () => null },
    store: { get: async () => Buffer.from('{}\n'), async *list() {} },
    secrets: { read: () => Promise.reject(failure) },
  }
  return { context: context as unknown as WorkerContext, finish }
}

function lastDelivery() {
  const moveToDelayed = vi.fn(async () => {})
  const delivery = { data: { id }, opts: { attempts: 3 }, attemptsMade: 2, token: 'token', moveToDelayed }
  return { delivery: delivery as unknown as Job<JobPayload>, moveToDelayed }
}

test('a brief Redis failure in the last run uses no attempt and does not fail the job', async () => {
  const { context, finish } = workerWith(new Error("OOM command not allowed when used memory > 'maxmemory'."))
  const { delivery, moveToDelayed } = lastDelivery()
  await expect(runJob(context, delivery, new AbortController().signal)).rejects.toThrow(DelayedError)
  expect(moveToDelayed).toHaveBeenCalledTimes(1)
  expect(finish).not.toHaveBeenCalled()
})
