import { type Job, type JobsOptions, Queue, type WorkerOptions } from 'bullmq'
import type { Redis } from 'ioredis'
import { createFairQueueing, type FairQueueing } from './fair-queueing.ts'
import type { JobRecord } from './record.ts'
import { tenantOf } from './tenant.ts'
import { jobVersion } from './version.ts'

/** The queue delivers ids only; the job and its state are in its record. */
export const queueName = 'publish'
export const queuePrefix = 'packets:queue'

/** The attributes of spans about the queue, by OpenTelemetry's semantic conventions. */
export const messagingAttributes = (operation: 'send' | 'process') => ({
  ...{ 'messaging.system': 'bullmq', 'messaging.destination.name': queueName },
  ...{ 'messaging.operation.name': operation, 'messaging.operation.type': operation },
})

/** A job, or one slice of a large multi. */
export interface JobPayload {
  id: string
  slice?: number
  version: number
}

/**
 * Runs of a job that fails with transient errors, such as an unavailable origin or store. Beyond it the job fails with
 * the last error.
 */
export const attempts = 3

export interface LockSettings {
  lockSeconds: number
  stalledSeconds: number
}

/** Lock settings: the jobs of a dead worker go to others after the lock duration plus one stalled check. */
export const workerOptions = ({ lockSeconds, stalledSeconds }: LockSettings) =>
  ({
    lockDuration: lockSeconds * 1_000,
    // One check marks a job and a later one takes it: with rare checks the jobs of a dead worker would wait for two.
    stalledInterval: stalledSeconds * 1_000,
    // Effectively unlimited: the job record counts lost workers and fails the job.
    maxStalledCount: 1_000_000,
  }) satisfies Partial<WorkerOptions>

type QueuedJob = Pick<JobRecord, 'id' | 'orgName'>

/** Jobs and slices are ordered as `FairQueueing` says. */
export interface JobQueue extends Pick<FairQueueing, 'started'> {
  /** Idempotent: our id is the id in BullMQ. */
  add(job: QueuedJob): Promise<void>
  /** Adds slices, in order, of a job that a worker holds and that will wait for them. Idempotent. */
  addSlices(job: QueuedJob, slices: readonly number[]): Promise<void>
  /**
   * Gives a new turn to a delivery that is in progress and will be delivered again. `second`: the delivery lets other
   * flows go first, because its org already has its share.
   */
  newTurn(delivery: Job<JobPayload>, orgName: string, second?: 'second'): Promise<void>
  /** The jobs that the queue lacks. Cheap regardless of the queue's length. */
  missing(ids: readonly string[]): Promise<string[]>
  /** Adds a job that the queue lost or gave up, unless the queue has it. @returns whether it was added. */
  restore(job: QueuedJob): Promise<boolean>
  /** No delivery begins until `resume`. `shared/jobs/pause.ts` records who paused the queue. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Removes a job and its slices, none of which a worker holds. */
  remove(job: QueuedJob): Promise<void>
  close(): Promise<void>
}

const options: JobsOptions = {
  attempts,
  backoff: { type: 'exponential', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: true,
}

const lookupBatch = 500

/** The BullMQ states of jobs that are not finished. */
export const queueStates = ['wait', 'paused', 'prioritized', 'delayed', 'active', 'waiting-children']

export const flowOf = (orgName: string) => ({ org: tenantOf(orgName) })

export function createJobQueue(connection: Redis): JobQueue {
  const queue = new Queue<JobPayload>(queueName, { connection, prefix: queuePrefix })
  // The connection's own listener logs errors. BullMQ emits them again, and without a listener here they would throw.
  queue.on('error', () => {})
  const fairness = createFairQueueing(connection, queueStates.map(queue.toKey.bind(queue)))

  async function add({ id, orgName }: QueuedJob) {
    const [priority] = await fairness.nextPriorities(flowOf(orgName), 1)
    await queue.add('publish-packet', { id, version: jobVersion }, { ...options, jobId: id, priority })
  }

  return {
    add,
    started: fairness.started,
    async addSlices({ id, orgName }, slices) {
      const parent = { id, queue: queue.qualifiedName }
      const priorities = await fairness.nextPriorities({ slicesOf: tenantOf(orgName) }, slices.length)
      await queue.addBulk(
        slices.map((slice, at) => ({
          name: 'build-slice',
          data: { id, slice, version: jobVersion },
          opts: {
            ...options,
            jobId: `${id}.${slice}`,
            priority: priorities[at] as number,
            parent,
            // A slice that fails permanently has failed its job, which the waiting parent discovers by itself.
            ignoreDependencyOnFailure: true,
          },
        })),
      )
    },
    async newTurn(delivery, orgName, second) {
      const flow = delivery.data.slice === undefined ? flowOf(orgName) : { slicesOf: tenantOf(orgName) }
      const next = async () => (await fairness.nextPriorities(flow, 1))[0] as number
      await delivery.changePriority({ priority: await (second ? fairness.prioritySecond(flow) : next()) })
    },
    async missing(ids) {
      const known: number[] = []
      for (let first = 0; first < ids.length; first += lookupBatch) {
        const some = ids.slice(first, first + lookupBatch)
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
      if ((await queue.remove(id)) > 0) await fairness.returnTurn(flowOf(orgName))
    },
    pause: () => queue.pause(),
    resume: () => queue.resume(),
    close: () => queue.close(),
  }
}
