import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { createReport } from '../../shared/publish/report/report.ts'
import { recordKey, slicesKey } from '../../shared/redis/keys.ts'

const redis = new Redis(inject('stack').redis.url, { db: 5 })
const [first, second] = [createJobRecords(redis), createJobRecords(redis)]
afterAll(() => redis.quit())

async function queuedJob(subRequests: number) {
  const id = randomUUID()
  const job = { id, orgName: `org-${id}`, fileName: 'people' }
  await first.create({
    ...job,
    kind: 'multi',
    order: orderOf({ batchSize: 5_000, force: false }),
    subRequests,
  })
  return job
}

const made = (subRequestsDone: number) => ({ subRequestsDone, pairs: subRequestsDone * 10, parts: 1, bytes: 5_000 })
const progress = (phase: 'reading' | 'committing', subRequests: number, done: number) => ({
  phase,
  subRequests,
  ...made(done),
})

describe('after Redis was rolled back, two runs have the same number of an attempt', () => {
  test('after a Redis rollback, of two runs of a job with one number only the known one can report, and both may commit', async () => {
    const job = await queuedJob(5)
    const known = (await redis.dumpBuffer(recordKey(job.id))) as Buffer
    expect(await first.start(job.id)).toBe(1)
    await redis.restore(recordKey(job.id), 0, known, 'REPLACE')
    expect(await second.start(job.id)).toBe(1)
    expect(await second.progress(job.id, 1, made(1))).toBe(10)
    expect(await first.progress(job.id, 1, made(2))).toBe('superseded')
    expect((await first.read(job.id))?.progress).toEqual(progress('reading', 5, 1))
    const commit = [progress('committing', 5, 5), createReport().read()] as const
    expect(await first.beginCommit(job, ...commit)).toBe(true)
    expect(await second.beginCommit(job, ...commit)).toBe(true)
  })

  test('after a Redis rollback, of two runs of a slice with one number only the known one can report', async () => {
    const { id } = await queuedJob(45)
    await first.start(id)
    expect(await first.start(id, 0)).toBe(1)
    await redis.del(slicesKey(id))
    expect(await second.start(id, 0)).toBe(1)
    expect(await second.progress(id, 1, made(1), 0)).toBe(10)
    expect(await first.progress(id, 1, made(2), 0)).toBe('superseded')
    expect((await first.read(id))?.progress).toEqual(progress('reading', 45, 1))
  })
})
