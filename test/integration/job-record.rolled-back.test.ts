import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { createSliceRecords } from '../../shared/jobs/stored/slice-record.ts'
import { createReport } from '../../shared/publish/report/report.ts'
import { recordKey, slicesKey } from '../../shared/redis/keys.ts'

const redis = new Redis(inject('stack').redis.url, { db: 5 })
const workers = [0, 1].map(() => ({ records: createJobRecords(redis), slices: createSliceRecords(redis) }))
const [first, second] = workers as [(typeof workers)[0], (typeof workers)[0]]
afterAll(() => redis.quit())

async function queuedJob() {
  const id = randomUUID()
  const job = { id, orgName: `org-${id}`, fileName: 'people' }
  await first.records.create({
    ...job,
    kind: 'multi',
    order: orderOf({ batchSize: 5_000, force: false }),
    subRequests: 45,
  })
  return job
}

const made = (subRequestsDone: number) => ({ subRequestsDone, pairs: subRequestsDone * 10, parts: 1, bytes: 5_000 })
const progress = (phase: 'reading' | 'committing', done: number) => ({ phase, subRequests: 45, ...made(done) })

describe('after Redis was rolled back, two runs have the same number of an attempt', () => {
  test('after a Redis rollback, of two runs of a job with one number only the known one can commit', async () => {
    const job = await queuedJob()
    const known = (await redis.dumpBuffer(recordKey(job.id))) as Buffer
    expect(await first.records.start(job.id)).toBe(1)
    await redis.restore(recordKey(job.id), 0, known, 'REPLACE')
    expect(await second.records.start(job.id)).toBe(1)
    expect(await second.records.progress(job.id, 1, progress('reading', 1))).toBeNull()
    expect(await first.records.progress(job.id, 1, progress('reading', 2))).toBe('superseded')
    const commit = [progress('committing', 45), createReport().read()] as const
    expect(await first.records.beginCommit(job, 1, ...commit)).toBe(false)
    expect((await first.records.read(job.id))?.progress).toEqual(progress('reading', 1))
    expect(await second.records.beginCommit(job, 1, ...commit)).toBe(true)
  })

  test('after a Redis rollback, of two runs of a slice with one number only the known one can report', async () => {
    const { id } = await queuedJob()
    await first.records.start(id, 'step')
    expect(await first.slices.start(id, 0)).toBe(1)
    await redis.del(slicesKey(id))
    expect(await second.slices.start(id, 0)).toBe(1)
    expect(await second.slices.progress(id, 0, 1, made(1))).toBe(10)
    expect(await first.slices.progress(id, 0, 1, made(2))).toBe('superseded')
    expect((await first.records.read(id))?.progress).toEqual(progress('reading', 1))
  })
})
