import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { createJobRecords, finalStates, type JobProgress } from '../../shared/jobs/record.ts'
import { recordKey } from '../../shared/jobs/redis-keys.ts'
import { createReport } from '../../shared/publish/report.ts'

const redis = new Redis(inject('stack').redis.url, { db: 5 })
const records = createJobRecords(redis)
afterAll(() => redis.quit())

/** A queued job's id. */
async function queuedJob(): Promise<string> {
  const id = randomUUID()
  const names = { orgName: `org-${id}`, fileName: 'people' }
  await records.create({ id, kind: 'publish', ...names, batchSize: 5_000, force: false, subRequests: 4 })
  return id
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

describe('an attempt', () => {
  test('begins a queued job, and is counted', async () => {
    const id = await queuedJob()
    const queued = await records.read(id)
    expect(await records.start(id)).toBe(1)
    expect(await records.read(id)).toEqual({ ...queued, state: 'running', attempt: 1, startedAt: time })
  })

  test('follows another that ended without a word, also in the commit, and the first start stays', async () => {
    const id = await queuedJob()
    await records.start(id)
    const first = await records.read(id)
    expect(await records.start(id)).toBe(2)
    await records.beginCommit(id, 2, committing, report)
    expect(await records.start(id)).toBe(3)
    expect(await records.read(id)).toEqual({ ...first, attempt: 3, progress: committing, report })
  })

  test.each(finalStates)('does not begin a job that has %s', async (state) => {
    const id = await queuedJob()
    await records.finish(id, state, {})
    const finished = await records.read(id)
    expect(await records.start(id)).toBeNull()
    expect(await records.read(id)).toEqual(finished)
  })

  test('does not begin a job that is gone, nor bring it back', async () => {
    const id = randomUUID()
    expect(await records.start(id)).toBeNull()
    expect(await redis.exists(recordKey(id))).toBe(0)
  })

  test('has a number of its own when twenty begin at once', async () => {
    const id = await queuedJob()
    const numbers = await Promise.all(Array.from({ length: 20 }, () => records.start(id)))
    expect(numbers.toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
  })
})

describe('progress', () => {
  test('is that of the latest attempt', async () => {
    const id = await queuedJob()
    await records.start(id)
    expect(await records.progress(id, 1, reading(3))).toBe(true)
    await records.start(id)
    expect(await records.progress(id, 2, reading(1))).toBe(true)
    const before = await records.read(id)
    expect(await records.progress(id, 1, reading(4))).toBe(false)
    expect(await records.progress(id, 3, reading(4))).toBe(false)
    expect(await records.read(id)).toEqual({ ...before, progress: reading(1) })
  })

  test('is taken while the job runs, and at no other time', async () => {
    const id = await queuedJob()
    const taken: boolean[] = [await records.progress(id, 0, reading(1)), await records.progress(id, 1, reading(1))]
    await records.start(id)
    taken.push(await records.progress(id, 1, reading(2)))
    await records.beginCommit(id, 1, committing, report)
    taken.push(await records.progress(id, 1, reading(3)))
    await records.finish(id, 'succeeded', {})
    taken.push(await records.progress(id, 1, reading(3)))
    expect(taken).toEqual([false, false, true, false, false])
    expect((await records.read(id))?.progress).toEqual(committing)
  })

  test('of a job that is gone is not taken, and does not bring it back', async () => {
    const id = randomUUID()
    expect(await records.progress(id, 1, reading(1))).toBe(false)
    expect(await redis.exists(recordKey(id))).toBe(0)
  })
})

describe('the commit', () => {
  test('is begun by the attempt that runs, with its progress and report', async () => {
    const id = await queuedJob()
    await records.start(id)
    const running = await records.read(id)
    expect(await records.beginCommit(id, 1, committing, report)).toBe(true)
    expect(await records.read(id)).toEqual({ ...running, state: 'committing', progress: committing, report })
  })

  test('is begun by the latest attempt only', async () => {
    const id = await queuedJob()
    await records.start(id)
    await records.start(id)
    const running = await records.read(id)
    expect(await records.beginCommit(id, 1, committing, report)).toBe(false)
    expect(await records.beginCommit(id, 3, committing, report)).toBe(false)
    expect(await records.read(id)).toEqual(running)
    expect(await records.beginCommit(id, 2, committing, report)).toBe(true)
  })

  test('is not begun by an attempt that another overtook after it began', async () => {
    const id = await queuedJob()
    await records.start(id)
    await records.beginCommit(id, 1, committing, report)
    await records.start(id)
    expect(await records.beginCommit(id, 1, committing, report)).toBe(false)
    expect(await records.beginCommit(id, 2, committing, report)).toBe(true)
  })

  test('is not begun of a job that waits, has finished or is gone', async () => {
    const [queued, finished, gone] = [await queuedJob(), await queuedJob(), randomUUID()]
    await records.start(finished)
    await records.finish(finished, 'cancelled', {})
    const before = await Promise.all([queued, finished, gone].map(records.read))
    for (const [id, attempt] of [
      [queued, 0],
      [queued, 1],
      [finished, 1],
      [gone, 1],
    ] as const) {
      expect(await records.beginCommit(id, attempt, committing, report)).toBe(false)
    }
    expect(await Promise.all([queued, finished, gone].map(records.read))).toEqual(before)
  })
})
