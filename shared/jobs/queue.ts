import { type JobsOptions, Queue, type WorkerOptions } from 'bullmq'
import type { Redis } from 'ioredis'
import type { JobRecord } from './record.ts'
import { createTurns, type Turns } from './turns.ts'
import { jobVersion } from './version.ts'

/** The queue delivers ids; what a job is and how far it got is in its record. */
export const queueName = 'publish'
export const queuePrefix = 'packets:queue'

/** A job, or one slice of a large multi. */
export interface JobPayload {
  id: string
  slice?: number
  version?: number
}

/** Runs after the first when a run fails in a way that may pass: an origin that broke off, a store that was away. */
export const attempts = 3

/** How workers hold jobs: a worker that is gone loses its jobs to others after the lock, plus one check. */
export const workerOptions = {
  lockDuration: 10_000,
  stalledInterval: 5_000,
  // The record counts the workers that a job has taken with it, and fails it.
  maxStalledCount: 1_000_000,
} satisfies Partial<WorkerOptions>

type QueuedJob = Pick<JobRecord, 'id' | 'orgName'>

/** Everything waits for its turn: see `Turns`. */
export interface JobQueue extends Pick<Turns, 'begun'> {
  /** May be repeated: BullMQ knows the job by our id. */
  add(job: QueuedJob): Promise<void>
  /** Adds slices of a job, which a worker has and which is to wait for them, in their order. May be repeated. */
  addSlices(id: string, slices: readonly number[]): Promise<void>
  /** Which of these jobs the queue does not have. Cheap, however many wait. */
  missing(ids: readonly string[]): Promise<string[]>
  /** Adds a job again that the queue has lost or given up; one that it has is left alone. @returns whether it was added. */
  restore(job: QueuedJob): Promise<boolean>
  /** Takes a job out, and its slices, none of which a worker has. */
  remove(job: QueuedJob): Promise<void>
  close(): Promise<void>
}

const options: JobsOptions = {
  attempts,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: true,
}

const askedAtOnce = 500

/** Where BullMQ keeps what it has not delivered for good. */
const states = ['wait', 'paused', 'prioritized', 'delayed', 'active', 'waiting-children']

const flowOf = (orgName: string) => ({ org: orgName.split('/')[0] as string })

export function createJobQueue(connection: Redis): JobQueue {
  const queue = new Queue<JobPayload>(queueName, { connection, prefix: queuePrefix })
  // The connection's own listener logs; without one here BullMQ would throw what it re-emits.
  queue.on('error', () => {})
  const turns = createTurns(connection, states.map(queue.toKey.bind(queue)))

  async function add({ id, orgName }: QueuedJob) {
    const [priority] = await turns.next(flowOf(orgName), 1)
    await queue.add('publish-packet', { id, version: jobVersion }, { ...options, jobId: id, priority })
  }

  return {
    add,
    begun: turns.begun,
    async addSlices(id, slices) {
      const parent = { id, queue: queue.qualifiedName }
      const priorities = await turns.next({ multi: id }, slices.length)
      await queue.addBulk(
        slices.map((slice, at) => ({
          name: 'build-slice',
          data: { id, slice, version: jobVersion },
          opts: {
            ...options,
            jobId: `${id}.${slice}`,
            priority: priorities[at] as number,
            parent,
            // A slice that fails for good has failed its job: what waits for the slices finds that out.
            ignoreDependencyOnFailure: true,
          },
        })),
      )
    },
    async missing(ids) {
      const known: number[] = []
      for (let first = 0; first < ids.length; first += askedAtOnce) {
        const some = ids.slice(first, first + askedAtOnce)
        known.push(...(await Promise.all(some.map((id) => connection.exists(queue.toKey(id))))))
      }
      return ids.filter((_, index) => known[index] === 0)
    },
    async restore(job) {
      const state = await queue.getJobState(job.id)
      if (state !== 'unknown' && state !== 'failed' && state !== 'completed') return false
      await queue.remove(job.id)
      await add(job)
      return true
    },
    async remove({ id, orgName }) {
      if ((await queue.remove(id)) > 0) await turns.returned(flowOf(orgName))
    },
    close: () => queue.close(),
  }
}
