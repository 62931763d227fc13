import { Queue, type WorkerOptions } from 'bullmq'
import type { Redis } from 'ioredis'

/** The queue delivers ids; what a job is and how far it got is in its record. */
export const queueName = 'publish'
export const queuePrefix = 'packets:queue'

export interface JobPayload {
  id: string
}

/** Runs after the first when a run fails in a way that may pass: an origin that broke off, a store that was away. */
export const attempts = 3

/** How workers hold jobs: a worker that is gone loses its jobs to others after the lock, plus one check. */
export const workerOptions = {
  lockDuration: 10_000,
  stalledInterval: 5_000,
  // A job that takes its worker down with it is run three times in all.
  maxStalledCount: 2,
} satisfies Partial<WorkerOptions>

export interface JobQueue {
  /** May be repeated: BullMQ knows the job by our id. */
  add(id: string): Promise<void>
  /** Jobs that wait for a worker. */
  waiting(): Promise<number>
  close(): Promise<void>
}

export function createJobQueue(connection: Redis): JobQueue {
  const queue = new Queue<JobPayload>(queueName, { connection, prefix: queuePrefix })
  // The connection's own listener logs; without one here BullMQ would throw what it re-emits.
  queue.on('error', () => {})
  return {
    async add(id) {
      await queue.add(
        'publish-packet',
        { id },
        {
          jobId: id,
          attempts,
          backoff: { type: 'exponential', delay: 1_000 },
          removeOnComplete: true,
          // Kept for a day, so that a job that was given up is still known by its id when that is told.
          removeOnFail: { age: 86_400 },
        },
      )
    },
    async waiting() {
      const counts = await queue.getJobCounts('wait', 'prioritized', 'delayed')
      return Object.values(counts).reduce((sum, count) => sum + count, 0)
    },
    close: () => queue.close(),
  }
}
