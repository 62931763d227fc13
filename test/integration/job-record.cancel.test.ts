import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import type { JobProgress, NamedJob } from '../../shared/jobs/job.ts'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { createReport } from '../../shared/publish/report/report.ts'
import { recordKey } from '../../shared/redis/keys.ts'
import { finalStates } from '../../wire/job-states.ts'

const redis = new Redis(inject('stack').redis.url, { db: 5 })
const records = createJobRecords(redis)
afterAll(() => redis.quit())

const committing: JobProgress = {
  phase: 'committing',
  subRequests: 1,
  subRequestsDone: 1,
  pairs: 1,
  parts: 1,
  bytes: 1,
}
const report = createReport().read()

async function queuedJob(): Promise<NamedJob> {
  const id = randomUUID()
  const job = { id, orgName: `org-${id}`, fileName: 'people' }
  await records.create({ ...job, kind: 'publish', order: orderOf({ batchSize: 5_000, force: false }), subRequests: 1 })
  return job
}

async function runningJob(): Promise<NamedJob> {
  const job = await queuedJob()
  await records.start(job.id)
  return job
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const cancelledNow = { state: 'cancelled', isCancelledNow: true }
const stays = (state: string) => ({ state, isCancelledNow: false })

describe('a job without an active run is cancelled at once', () => {
  test('a job without an active run is cancelled at once while it is queued', async () => {
    const { id, orgName, fileName } = await queuedJob()
    const queued = await records.read(id)
    expect(await records.cancel(id)).toEqual(cancelledNow)
    expect(await records.read(id)).toEqual({ ...queued, state: 'cancelled', finishedAt: time })
    expect(await records.start(id)).toBe('finished')
    expect(await records.holder(orgName, fileName)).toBeNull()
    expect(await records.openBefore(Date.now() + 60_000)).not.toContain(id)
  })

  test('a job is cancelled at once between the end of one run and the start of the next', async () => {
    const job = await runningJob()
    await records.endRun(job.id)
    expect(await records.cancel(job.id)).toEqual(cancelledNow)
    expect(await records.start(job.id)).toBe('finished')
  })

  test('a job is cancelled at once while its slices are queued, but not while one is being built', async () => {
    const [waiting, building] = [await queuedJob(), await queuedJob()]
    for (const { id } of [waiting, building]) {
      await records.start(id)
      for (const slice of [0, 1]) await records.start(id, slice)
      await records.endRun(id)
      await records.endRun(id, 0)
    }
    await records.endRun(waiting.id, 1)
    expect(await records.cancel(waiting.id)).toEqual(cancelledNow)
    expect(await records.start(waiting.id, 1)).toBe('finished')
    expect(await records.cancel(building.id)).toEqual(stays('running'))
    expect(await records.start(building.id, 0)).toBe('cancelling')
  })
})

describe('cancelling a running job', () => {
  test('cancelling a running job signals its run, rejects further progress, and prevents the commit', async () => {
    const job = await runningJob()
    const running = await records.read(job.id)
    expect(await records.cancel(job.id)).toEqual(stays('running'))
    const cancelling = { ...running, cancelling: true }
    expect(await records.progress(job.id, 1, committing)).toBe('cancelling')
    expect(await records.beginCommit(job, committing, report)).toBe(false)
    expect(await records.read(job.id)).toEqual(cancelling)
  })

  test('cancelling a running job may be requested repeatedly, and finishes once', async () => {
    const { id } = await runningJob()
    const asked = await Promise.all(Array.from({ length: 10 }, () => records.cancel(id)))
    expect(asked).toEqual(Array(10).fill(stays('running')))
    expect(await records.finish(id, 'cancelled', {})).toBe(true)
    expect(await records.cancel(id)).toEqual(stays('cancelled'))
    expect(await records.start(id)).toBe('finished')
  })

  test('cancelling a running job lets a run of an earlier attempt know that it was superseded', async () => {
    const { id } = await runningJob()
    await records.start(id)
    await records.cancel(id)
    expect(await records.progress(id, 1, committing)).toBe('superseded')
  })
})

describe('a job can no longer be cancelled', () => {
  test('a job can no longer be cancelled once it has begun to commit', async () => {
    const job = await runningJob()
    await records.beginCommit(job, committing, report)
    const before = await records.read(job.id)
    expect(await records.cancel(job.id)).toEqual(stays('committing'))
    expect(await records.read(job.id)).toEqual(before)
    expect(await records.progress(job.id, 1, committing)).toBeNull()
  })

  test('a job can no longer be cancelled once an earlier attempt, which may finish, has begun to commit', async () => {
    const job = await runningJob()
    await records.beginCommit(job, committing, report)
    await records.start(job.id)
    const before = await records.read(job.id)
    expect(before?.state).toBe('running')
    expect(await records.cancel(job.id)).toEqual(stays('committing'))
    expect(await records.read(job.id)).toEqual(before)
    expect(await records.beginCommit(job, committing, report)).toBe(true)
  })

  test.each(finalStates)('a job can no longer be cancelled once it has %s', async (state) => {
    const { id } = await runningJob()
    await records.finish(id, state, {})
    const before = await records.read(id)
    expect(await records.cancel(id)).toEqual(stays(state))
    expect(await records.read(id)).toEqual(before)
  })

  test('a job can no longer be cancelled once its record is gone, and is not recreated', async () => {
    const id = randomUUID()
    expect(await records.cancel(id)).toBeNull()
    expect(await redis.exists(recordKey(id))).toBe(0)
  })

  test('exactly one of a concurrent commit and cancellation of a job succeeds', async () => {
    const jobs = await Promise.all(Array.from({ length: 50 }, runningJob))
    for (const job of jobs) {
      const [begun, cancelled] = await Promise.all([
        records.beginCommit(job, committing, report),
        records.cancel(job.id),
      ])
      const latest = await records.read(job.id)
      expect([cancelled?.state, latest?.cancelling]).toEqual(begun ? ['committing', false] : ['running', true])
    }
  })
})
