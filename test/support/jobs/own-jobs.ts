import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll } from 'vitest'
import type { JobProgress } from '../../../shared/jobs/job.ts'
import { createJobRecords } from '../../../shared/jobs/job-records.ts'
import { orderOf } from '../../../shared/jobs/order.ts'
import { recordKey } from '../../../shared/redis/keys.ts'

/** Jobs in the Redis of a service without workers: the test says what becomes of them. */
export function ownJobs(redisUrl: string) {
  const redis = new Redis(redisUrl)
  afterAll(() => redis.disconnect())
  const records = createJobRecords(redis)
  return {
    redis,
    records,
    /** @returns the id of a queued job */
    async create(orgName = 'acme'): Promise<string> {
      const id = randomUUID()
      const names = { orgName, fileName: id }
      await records.create({
        id,
        kind: 'publish',
        ...names,
        order: orderOf({ batchSize: 5_000, force: false }),
        subRequests: 4,
      })
      return id
    },
    async advance(id: string, pairs: number): Promise<void> {
      const progress: JobProgress = { phase: 'reading', subRequests: 4, subRequestsDone: 1, pairs, parts: 0, bytes: 0 }
      await records.progress(id, 1, progress)
    },
    /** Gives a job an error of this size, which no job has, so that its events are large. */
    async inflate(id: string, bytes: number): Promise<void> {
      const error = { status: 500, code: 'internal', message: 'x'.repeat(bytes) }
      await redis.hset(recordKey(id), 'error', JSON.stringify(error))
    },
    async remove(id: string): Promise<void> {
      await redis.del(recordKey(id))
    },
  }
}
