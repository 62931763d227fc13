import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import type { JobProgress, NamedJob } from '../../shared/jobs/job.ts'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { createReport } from '../../shared/publish/report/report.ts'
import { withWaiting } from '../../shared/queue/waiting.ts'
import { queueKey, recordKey, workersKey } from '../../shared/redis/keys.ts'
import { finalStates } from '../../wire/job-states.ts'

const redis = new Redis(inject('stack').redis.url, { db: 5 })
const records = createJobRecords(redis)
afterAll(() => redis.quit())

const namedJob = (id: string = randomUUID()): NamedJob => ({ id, orgName: `org-${id}`, fileName: 'people' })

async function queuedJob(): Promise<NamedJob> {
  const job = namedJob()
  await records.create({ ...job, kind: 'publish', order: orderOf({ batchSize: 5_000, force: false }), subRequests: 4 })
  return job
}

const reading = (subRequestsDone: number): JobProgress => ({
  phase: 'reading',
  subRequests: 4,
  subRequestsDone,
  pairs: subRequestsDone * 10,
  parts: subRequestsDone,
  bytes: subRequestsDone * 1_000,
})
const committing: JobProgress = { ...reading(4), phase: 'committing' }
const report = { ...createReport().read(), collapsed: 7 }
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

test('a job says how many deliveries the queue has before it, or when a delayed one comes, and nothing after its end', async () => {
  const told = withWaiting(records, redis)
  const jobs = [await queuedJob(), await queuedJob(), await queuedJob()] as const
  const [first, second, delayed] = jobs.map(({ id }) => id) as [string, string, string]
  await redis.zadd(queueKey('prioritized'), 1, first, 2, second)
  const at = Date.parse('2026-11-22T12:00:05.000Z')
  await redis.zadd(queueKey('delayed'), at * 0x1000 + 7, delayed)
  const waiting = async () => (await told.readMany([second, delayed, first])).map((job) => job?.waiting)
  const turn = (reason: string, ahead: number) => ({ reason, ahead, until: null })
  const delay = { reason: 'delay', ahead: null, until: '2026-11-22T12:00:05.000Z' }
  expect(await waiting()).toEqual([turn('noWorker', 1), delay, turn('noWorker', 0)])
  await redis.hset(workersKey, 'live', `${Date.now()} 4 {}`)
  await expect.poll(waiting).toEqual([turn('turn', 1), delay, turn('turn', 0)])
  await records.finish(second, 'failed', {})
  expect((await told.read(second))?.waiting).toBeNull()
  await redis.del(workersKey, queueKey('prioritized'), queueKey('delayed'))
})

describe('an attempt', () => {
  test('the causes of the last ten failed runs are kept, oldest first, and none after the end', async () => {
    const { id } = await queuedJob()
    await records.start(id)
    const failureOf = (attempt: number) => ({
      attempt,
      slice: null,
      code: 'originBroke',
      message: 'a “quoted” / cause',
    })
    for (let attempt = 1; attempt <= 11; attempt++) await records.noteFailure(id, failureOf(attempt))
    const kept = Array.from({ length: 10 }, (_, at) => ({ ...failureOf(at + 2), at: time }))
    expect((await records.read(id))?.failures).toEqual(kept)
    await records.finish(id, 'failed', {})
    await records.noteFailure(id, failureOf(12))
    expect((await records.read(id))?.failures).toEqual(kept)
  })

  test('an attempt starts a queued job, and is counted', async () => {
    const { id } = await queuedJob()
    const queued = await records.read(id)
    expect(await records.start(id)).toBe(1)
    expect(await records.read(id)).toEqual({
      ...queued,
      state: 'running',
      attempt: 1,
      startedAt: time,
      progress: reading(0),
    })
  })

  test('an attempt follows one that vanished, even during the commit, and the first start time stays', async () => {
    const job = await queuedJob()
    await records.start(job.id)
    const first = await records.read(job.id)
    expect(await records.start(job.id)).toBe(2)
    await records.beginCommit(job, committing, report)
    expect(await records.start(job.id)).toBe(3)
    expect(await records.read(job.id)).toEqual({ ...first, attempt: 3, begun: true, report, ranMs: expect.any(Number) })
  })

  test.each(finalStates)('an attempt does not start a job that has %s', async (state) => {
    const { id } = await queuedJob()
    await records.finish(id, state, {})
    const finished = await records.read(id)
    expect(await records.start(id)).toBe('finished')
    expect(await records.read(id)).toEqual(finished)
  })

  test('an attempt does not start a job whose record is gone, nor recreate it', async () => {
    const id = randomUUID()
    expect(await records.start(id)).toBe('finished')
    await records.endRun(id)
    expect(await redis.exists(recordKey(id))).toBe(0)
  })

  test('an attempt has its own number when twenty start concurrently and each run ends', async () => {
    const { id } = await queuedJob()
    const beginAndEnd = async () => {
      const number = await records.start(id)
      await records.endRun(id)
      return Number(number)
    }
    const numbers: number[] = []
    // At most three runs of a job may be open at once, so only two race at a time.
    for (let begun = 0; begun < 20; begun += 2) numbers.push(...(await Promise.all([beginAndEnd(), beginAndEnd()])))
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  })
})

describe('a job whose runs never end', () => {
  test('a job whose runs never end is lost at its fourth start, and later starts change nothing', async () => {
    const { id } = await queuedJob()
    expect([await records.start(id), await records.start(id), await records.start(id)]).toEqual([1, 2, 3])
    const running = await records.read(id)
    expect([await records.start(id), await records.start(id)]).toEqual(['lost', 'lost'])
    expect(await records.read(id)).toEqual(running)
  })

  test('a job whose runs never end is started by exactly three of twenty concurrent starts, all numbered', async () => {
    const { id } = await queuedJob()
    const begun = await Promise.all(Array.from({ length: 20 }, () => records.start(id)))
    expect(begun.toSorted()).toEqual([1, 2, 3, ...Array(17).fill('lost')])
  })

  test('a job whose runs never end counts only the runs that have not ended', async () => {
    const { id } = await queuedJob()
    for (let number = 1; number <= 5; number++) {
      expect(await records.start(id)).toBe(number)
      await records.endRun(id)
    }
    expect([await records.start(id), await records.start(id), await records.start(id)]).toEqual([6, 7, 8])
    expect(await records.start(id)).toBe('lost')
  })
})

describe('progress', () => {
  test('progress is taken from the latest attempt; any other learns that it is superseded', async () => {
    const { id } = await queuedJob()
    await records.start(id)
    expect(await records.progress(id, 1, reading(3))).toBe(30)
    await records.start(id)
    expect(await records.progress(id, 2, reading(1))).toBe(10)
    const before = await records.read(id)
    expect(await records.progress(id, 1, reading(4))).toBe('superseded')
    expect(await records.progress(id, 3, reading(4))).toBe('superseded')
    expect(await records.read(id)).toEqual({ ...before, progress: reading(1) })
  })

  test('progress is accepted only while the job runs', async () => {
    const job = await queuedJob()
    const stops = [await records.progress(job.id, 0, reading(1)), await records.progress(job.id, 1, reading(1))]
    const written = [(await records.read(job.id))?.progress.phase]
    await records.start(job.id)
    stops.push(await records.progress(job.id, 1, reading(2)))
    written.push((await records.read(job.id))?.progress.phase)
    await records.beginCommit(job, committing, report)
    stops.push(await records.progress(job.id, 1, reading(3)))
    await records.finish(job.id, 'succeeded', {})
    stops.push(await records.progress(job.id, 1, reading(3)))
    // A committing run continues; a run of a queued or finished job has to stop.
    expect(stops).toEqual(['superseded', 'superseded', 20, null, 'superseded'])
    expect(written).toEqual(['queued', 'reading'])
    expect((await records.read(job.id))?.progress).toEqual(committing)
  })

  test('progress of a job whose record is gone is rejected, and does not recreate it', async () => {
    const id = randomUUID()
    expect(await records.progress(id, 1, reading(1))).toBe('superseded')
    expect(await redis.exists(recordKey(id))).toBe(0)
  })
})

describe('the commit', () => {
  test('the commit is begun by the running attempt, with its progress and report', async () => {
    const job = await queuedJob()
    await records.start(job.id)
    const running = await records.read(job.id)
    expect(await records.beginCommit(job, committing, report)).toBe(true)
    expect(await records.read(job.id)).toEqual({
      ...running,
      state: 'committing',
      begun: true,
      progress: committing,
      report,
    })
  })

  test('the commit is begun by any attempt, also by one that was overtaken: the manifest decides', async () => {
    const job = await queuedJob()
    await records.start(job.id)
    await records.start(job.id)
    expect(await records.beginCommit(job, committing, report)).toBe(true)
    await records.start(job.id)
    expect((await records.read(job.id))?.state).toBe('running')
    for (const state of ['running', 'committing']) {
      expect((await records.read(job.id))?.state).toBe(state)
      expect(await records.beginCommit(job, committing, report)).toBe(true)
    }
  })

  test('the commit is not begun for a job that is queued, finished or gone', async () => {
    const [queued, finished, gone] = [await queuedJob(), await queuedJob(), namedJob()]
    await records.start(finished.id)
    await records.finish(finished.id, 'cancelled', {})
    const readAll = () => Promise.all([queued, finished, gone].map(({ id }) => records.read(id)))
    const before = await readAll()
    for (const job of [queued, finished, gone]) expect(await records.beginCommit(job, committing, report)).toBe(false)
    expect(await readAll()).toEqual(before)
  })
})
