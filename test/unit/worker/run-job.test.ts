import { randomUUID } from 'node:crypto'
import { DelayedError, type Job } from 'bullmq'
import { expect, test, vi } from 'vitest'
import type { Config, WorkerSettings } from '../../../shared/config/config.ts'
import * as errors from '../../../shared/errors/catalogue.ts'
import { type JobRecord, progressOf } from '../../../shared/jobs/job.ts'
import type { JobRecords } from '../../../shared/jobs/job-records.ts'
import { orderOf } from '../../../shared/jobs/order.ts'
import type { Secrets } from '../../../shared/jobs/stored/secrets.ts'
import { jobVersion } from '../../../shared/jobs/version.ts'
import { currentTenant } from '../../../shared/lifecycle/current-tenant.ts'
import { createLog } from '../../../shared/observability/log.ts'
import { createMetrics } from '../../../shared/observability/metrics.ts'
import type { JobPayload, JobQueue } from '../../../shared/queue/queue.ts'
import type { Generations } from '../../../shared/storage/generations.ts'
import type { ObjectStore } from '../../../shared/store/object-store.ts'
import type { WorkerContext } from '../../../worker/context.ts'
import { startFairShare } from '../../../worker/fair-share.ts'
import { runJob } from '../../../worker/run-job.ts'
import { only } from '../../support/values/only.ts'

const id = randomUUID()
const record = only<JobRecord>({
  id,
  kind: 'publish',
  createdAt: '2026-11-22T12:00:00.000Z',
  startedAt: '2026-11-22T12:00:01.000Z',
  orgName: 'org',
  fileName: 'file',
  state: 'running',
  attempt: 2,
  order: orderOf({ batchSize: 1, force: false }),
  progress: progressOf('reading', 1),
  traceparent: null,
  version: jobVersion,
})

/** A worker whose Redis fails with `failure` in the middle of a run, and works before and after. */
function workerWith(failure: Error) {
  const finish = vi.fn(async () => true)
  const tenants: string[] = []
  const newTurn = vi.fn(async () => {})
  const noteFailure = vi.fn(async () => {})
  const read = () => {
    tenants.push(currentTenant())
    return Promise.reject(failure)
  }
  const context = only<WorkerContext>({
    config: only<Config>({ worker: only<WorkerSettings>({ retrySeconds: 5 }) }),
    records: only<JobRecords>({
      read: async () => record,
      start: async () => 3,
      endRun: async () => {},
      unendedRuns: async () => 0,
      progress: async () => null,
      finish,
      noteFailure,
    }),
    fairShare: startFairShare({
      slots: 2,
      report: async () => null,
      mayStart: async () => true,
      leave: async () => {},
      isPaused: async () => false,
    }),
    log: createLog('test', 'silent'),
    metrics: createMetrics(),
    queue: only<JobQueue>({ started: async () => {}, newTurn }),
    generations: only<Generations>({ ofJob: async () => null }),
    store: only<ObjectStore>({ get: async () => Buffer.from('{}\n'), async *list() {} }),
    secrets: only<Secrets>({ read }),
  })
  return { context, finish, tenants, newTurn, noteFailure }
}

function lastDelivery() {
  const moveToDelayed = vi.fn(async () => {})
  const delivery = {
    data: { id, version: jobVersion },
    opts: { attempts: 3 },
    attemptsMade: 2,
    token: 'token',
    moveToDelayed,
  }
  return { delivery: delivery as unknown as Job<JobPayload>, moveToDelayed }
}

test('a brief Redis failure in the last run uses no attempt and does not fail the job', async () => {
  const { context, finish } = workerWith(new Error("OOM command not allowed when used memory > 'maxmemory'."))
  const { delivery, moveToDelayed } = lastDelivery()
  await expect(runJob(context, delivery, new AbortController().signal)).rejects.toThrow(DelayedError)
  expect(moveToDelayed).toHaveBeenCalledTimes(1)
  expect(finish).not.toHaveBeenCalled()
})

test('what a run holds of what origins send counts for its org', async () => {
  const { context, tenants } = workerWith(new Error("OOM command not allowed when used memory > 'maxmemory'."))
  await runJob(context, lastDelivery().delivery, new AbortController().signal).catch(() => {})
  expect(tenants).toEqual([record.orgName])
})

test('a run that is tried again gets a new turn, and its cause is kept for clients', async () => {
  const { context, newTurn, noteFailure } = workerWith(errors.originBroke())
  const { delivery } = lastDelivery()
  const first = { ...delivery, attemptsMade: 0 } as unknown as Job<JobPayload>
  await expect(runJob(context, first, new AbortController().signal)).rejects.toThrow('originBroke')
  expect(newTurn).toHaveBeenCalledWith(first, record.orgName)
  const { code, message } = errors.originBroke()
  expect(noteFailure).toHaveBeenCalledWith(id, { attempt: 3, slice: null, code, message })
})
