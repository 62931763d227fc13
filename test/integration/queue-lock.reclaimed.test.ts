import { randomUUID } from 'node:crypto'
import { type Job, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, beforeEach, expect, inject, test } from 'vitest'
import { createJobQueue, type JobPayload, reclaimLock, workerOptions } from '../../shared/queue/queue.ts'
import { queueName, queuePrefix } from '../../shared/redis/keys.ts'
import { databaseOfFile } from '../support/programs/own-service.ts'

const db = await databaseOfFile()
const redis = new Redis(inject('stack').redis.url, { db, maxRetriesPerRequest: null })
const queue = createJobQueue(redis)
const lockSeconds = 120
const options = workerOptions({ lockSeconds, stalledSeconds: lockSeconds / 2 })
const worker = new Worker<JobPayload>(queueName, null, { connection: redis, prefix: queuePrefix, ...options })
afterAll(async () => {
  await worker.close()
  await queue.close()
  await redis.quit()
})
beforeEach(async () => {
  await redis.flushdb()
})

/** A job that a worker has taken with this token. */
async function taken(token: string): Promise<Job<JobPayload>> {
  const id = randomUUID()
  await queue.add({ id, orgName: 'org' })
  const job = await worker.getNextJob(token)
  if (job?.id !== id) throw new Error('not taken')
  return job
}

const lockOf = ({ id }: Job) => `${queuePrefix}:${queueName}:${id}:lock`

test('a lock that merely expired is reclaimed, with the full lock duration', async () => {
  const job = await taken('mine')
  expect(await reclaimLock(redis, job, 'mine', lockSeconds)).toBe(true)
  await redis.del(lockOf(job))
  expect(await reclaimLock(redis, job, 'mine', lockSeconds)).toBe(true)
  expect(await redis.get(lockOf(job))).toBe('mine')
  expect(await redis.pttl(lockOf(job))).toBeGreaterThan((lockSeconds * 1_000) / 2)
})

test('a lock that another run holds, or has held since, is lost', async () => {
  const job = await taken('mine')
  await redis.set(lockOf(job), 'other')
  expect(await reclaimLock(redis, job, 'mine', lockSeconds)).toBe(false)
  expect(await redis.get(lockOf(job))).toBe('other')
  await redis.set(lockOf(job), 'mine')
  await job.moveToWait('mine')
  expect((await worker.getNextJob('other'))?.id).toBe(job.id)
  await redis.del(lockOf(job))
  expect(await reclaimLock(redis, job, 'mine', lockSeconds)).toBe(false)
})

test('the lock of a job that is queued again, or removed, is lost', async () => {
  const job = await taken('mine')
  await job.moveToWait('mine')
  expect(await reclaimLock(redis, job, 'mine', lockSeconds)).toBe(false)
  await redis.flushdb()
  expect(await reclaimLock(redis, job, 'mine', lockSeconds)).toBe(false)
})
