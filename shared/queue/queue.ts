import { type Job, type JobsOptions, Queue, type WorkerOptions } from 'bullmq'
import type { Redis } from 'ioredis'
import type { WorkerSettings } from '../config/config.ts'
import type { JobRecord } from '../jobs/job.ts'
import { tenantOf } from '../jobs/open-runs.ts'
import { jobVersion } from '../jobs/version.ts'
import { inSpan } from '../observability/spans.ts'
import { queueKey, queueName, queuePrefix } from '../redis/keys.ts'
import { script } from '../redis/script.ts'
import { createFairQueueing } from './fair-queueing.ts'

/** The attributes of spans about the queue, by OpenTelemetry's semantic conventions. */
export const messagingAttributes = (operation: 'send' | 'process') => ({
  'messaging.system': 'bullmq',
  'messaging.destination.name': queueName,
  'messaging.operation.name': operation,
  'messaging.operation.type': operation,
})

/** Runs a delivery in its span. A slice has a trace of its own, linked to that of its job, which would otherwise be too long to read. */
export function inDeliverySpan(
  job: Pick<JobRecord, 'id' | 'traceparent'>,
  slice: number | undefined,
  attempt: number,
  run: () => Promise<void>,
): Promise<void> {
  const cause = slice === undefined ? { parent: job.traceparent } : { link: job.traceparent }
  const attributes = {
    ...messagingAttributes('process'),
    'messaging.message.id': job.id,
    'packets.attempt': attempt,
    ...(slice === undefined ? {} : { 'packets.slice': slice }),
  }
  const name = slice === undefined ? 'process publish' : 'process slice'
  return inSpan(name, { kind: 'consumer', ...cause, attributes }, run)
}

/** A job, or one slice of a large multi. */
export interface JobPayload {
  id: string
  slice?: number
  version: number
}

/**
 * Runs of a job that fails with transient errors, such as an unavailable origin or store. Beyond this limit the job
 * fails with the last error.
 */
export const attempts = 3

/** Lock settings: the jobs of a dead worker go to others after the lock duration plus one stalled check. */
export const workerOptions = ({
  lockSeconds,
  stalledSeconds,
}: Pick<WorkerSettings, 'lockSeconds' | 'stalledSeconds'>) =>
  ({
    lockDuration: lockSeconds * 1_000,
    // One check marks a job and a later one takes it: with rare checks the jobs of a dead worker would wait for two.
    stalledInterval: stalledSeconds * 1_000,
    // Effectively unlimited: the job record counts lost workers and fails the job.
    maxStalledCount: 1_000_000,
  }) satisfies Partial<WorkerOptions>

const backoffMs = 1_000
/** The longest pause before a further attempt. */
export const longestBackoffMs = backoffMs * 2 ** (attempts - 2)

type QueuedJob = Pick<JobRecord, 'id' | 'orgName'>

const options: JobsOptions = {
  attempts,
  backoff: { type: 'exponential', delay: backoffMs },
  removeOnComplete: true,
  removeOnFail: true,
}

export const flowOf = (orgName: string) => ({ org: tenantOf(orgName) })

/** Jobs and slices are ordered as `createFairQueueing` says. */
export function createJobQueue(connection: Redis) {
  const queue = new Queue<JobPayload>(queueName, { connection, prefix: queuePrefix })
  const fairness = createFairQueueing(connection, queue)

  async function add({ id, orgName }: QueuedJob) {
    const priority = await fairness.nextPriority(flowOf(orgName))
    await queue.add('publish-packet', { id, version: jobVersion }, { ...options, jobId: id, priority })
  }

  return {
    queue,
    /** Idempotent: our id is the id in BullMQ. */
    add,
    started: fairness.started,
    /** Adds slices, in order, of a job that a worker holds and that will wait for them. Idempotent. */
    async addSlices({ id, orgName }: QueuedJob, slices: readonly number[]) {
      const parent = { id, queue: queue.qualifiedName }
      const priorities = await fairness.nextPriorities({ slicesOf: tenantOf(orgName) }, slices.length)
      // A slice that fails permanently has failed its job, which the waiting parent discovers by itself.
      const common = { ...options, parent, ignoreDependencyOnFailure: true }
      await queue.addBulk(
        slices.map((slice, at) => ({
          name: 'build-slice',
          data: { id, slice, version: jobVersion },
          opts: { ...common, jobId: `${id}.${slice}`, priority: priorities[at] as number },
        })),
      )
    },
    /**
     * Gives a new turn to a delivery that is in progress and will be delivered again. `second`: the delivery lets other
     * flows go first, because its org already has its share.
     */
    async newTurn(delivery: Job<JobPayload>, orgName: string, second?: 'second') {
      const flow = delivery.data.slice === undefined ? flowOf(orgName) : { slicesOf: tenantOf(orgName) }
      await delivery.changePriority({ priority: await fairness[second ? 'prioritySecond' : 'nextPriority'](flow) })
    },
    missing: fairness.missing,
    /** Adds a job that the queue lost or gave up, unless the queue has it. @returns whether it was added. */
    async restore(job: QueuedJob): Promise<boolean> {
      const state = await queue.getJobState(job.id)
      if (state !== 'unknown' && state !== 'failed' && state !== 'completed') return false
      await queue.remove(job.id)
      await add(job)
      return true
    },
    /** Removes a job and its slices, none of which a worker holds. */
    remove: ({ id, orgName }: QueuedJob) => fairness.remove(id, flowOf(orgName)),
    /** No delivery begins until `resume`. `shared/queue/pause.ts` records who paused the queue. */
    pause: () => queue.pause(),
    resume: () => queue.resume(),
    close: () => queue.close(),
  }
}

export type JobQueue = ReturnType<typeof createJobQueue>

const reclaim = script(
  ['id', 'token', 'attemptsStarted', 'milliseconds'],
  `local queue = '${queueKey('')}'
local job, lock = queue .. id, queue .. id .. ':lock'
local holder = redis.call('GET', lock)
if holder then return holder == token and 1 or 0 end
if redis.call('HGET', job, 'ats') ~= attemptsStarted then return 0 end
if not redis.call('LPOS', queue .. 'active', id) then return 0 end
redis.call('SET', lock, token, 'PX', milliseconds)
redis.call('SREM', queue .. 'stalled', id)
return 1`,
)

/**
 * Reacquires a delivery's lock if it merely expired: Redis was unavailable for longer than a lock lasts, and the queue
 * has not delivered the job again.
 * @returns whether the delivery holds the lock; if not, another run may be in progress.
 */
export async function reclaimLock(
  redis: Redis,
  { id = '', attemptsStarted }: Job<JobPayload>,
  token: string,
  lockSeconds: number,
): Promise<boolean> {
  return (await reclaim(redis, { id, token, attemptsStarted, milliseconds: lockSeconds * 1_000 })) === 1
}
