import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, expect, inject, test } from 'vitest'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { createReport } from '../../shared/publish/report/report.ts'

const redis = new Redis(inject('stack').redis.url, { db: 6 })
const records = createJobRecords(redis)
afterAll(() => redis.quit())

const done = { phase: 'committing', subRequests: 45, subRequestsDone: 45, pairs: 90, parts: 3, bytes: 9_000 } as const

test('a committing large multi resumes the commit when it runs again, and its state never goes back', async () => {
  const id = randomUUID()
  const names = { orgName: `org-${id}`, fileName: 'people' }
  await records.create({
    id,
    ...names,
    kind: 'multi',
    order: orderOf({ batchSize: 5_000, force: false }),
    subRequests: 45,
  })
  const begin = () => records.beginCommit({ id, ...names }, done, createReport().read())
  const state = async () => (await records.read(id))?.state
  expect([await records.start(id), await state()]).toEqual([1, 'running'])
  expect([await records.start(id), await state()]).toEqual([1, 'running'])
  expect([await begin(), await state()]).toEqual([true, 'committing'])
  expect([await records.start(id), await state()]).toEqual([1, 'committing'])
  expect([await begin(), await state()]).toEqual([true, 'committing'])
  await records.finish(id, 'succeeded', {})
  expect([await begin(), await state()]).toEqual([false, 'succeeded'])
})
