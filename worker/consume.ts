import { setTimeout as delay } from 'node:timers/promises'
import { type Job, Worker } from 'bullmq'
import type { Releases } from '../shared/lifecycle/releases.ts'
import { jobStalled, locksLost } from '../shared/observability/events.ts'
import { type JobPayload, reclaimLock, workerOptions } from '../shared/queue/queue.ts'
import { connectPatient } from '../shared/redis/connect.ts'
import { queueName, queuePrefix } from '../shared/redis/keys.ts'
import type { WorkerContext } from './context.ts'
import { runJob } from './run-job.ts'
import { delayJob, handBack, lockLost } from './settle-run.ts'

/** Takes jobs from the queue until released. It has its own connections, because BullMQ blocks on them. */
export async function consumeJobs(context: WorkerContext, releases: Releases): Promise<Worker> {
  const { config, log } = context
  const stopping = new AbortController()
  const connection = releases.add('queue connection', connectPatient(config.redis, log), (it) => it.disconnect())
  const { run, checkLock } = createDeliveries(context, stopping.signal)
  const worker = new Worker<JobPayload>(queueName, run, {
    connection,
    prefix: queuePrefix,
    concurrency: config.worker.concurrency,
    ...workerOptions(config.worker),
  })
  worker.on('error', (error) => log.warn({ err: error }, 'queue'))
  worker.on('stalled', (jobId) => jobStalled(context, jobId))
  // BullMQ reports a lost lock only by this event, and not at all while Redis is unavailable.
  worker.on('lockRenewalFailed', (jobIds) => {
    for (const id of jobIds) void checkLock(id)
  })
  await worker.waitUntilReady()
  // Running jobs may finish within the grace period; the rest are handed back.
  const graceMs = config.worker.stopGraceSeconds * 1_000
  const stop = async () => {
    const closed = worker.close()
    await Promise.race([closed, delay(graceMs, null, { ref: false })])
    stopping.abort(handBack)
    await closed
  }
  releases.add('queue worker', worker, stop, graceMs + 10_000) // closing hangs while Redis is unavailable
  return worker
}

interface Delivery {
  job: Job<JobPayload>
  token: string
  lost: AbortController
}

/** The deliveries in progress in this worker, each with its own signal for a lost lock. */
function createDeliveries(context: WorkerContext, stopping: AbortSignal) {
  const inProgress = new Map<string, Delivery>()

  function abort({ job, lost }: Delivery) {
    if (lost.signal.aborted) return
    locksLost(context, [job.id as string])
    lost.abort(lockLost)
  }

  async function run(job: Job<JobPayload>, token = ''): Promise<void> {
    const id = job.id as string
    const earlier = inProgress.get(id)
    if (earlier) {
      // This worker lost its lock and received the job again. BullMQ identifies deliveries by job id and would stop
      // renewing this delivery's lock when the earlier one ends.
      abort(earlier)
      return delayJob(context, job)
    }
    const delivery = { job, token, lost: new AbortController() }
    inProgress.set(id, delivery)
    try {
      await context.runs.run(() => runJob(context, job, AbortSignal.any([stopping, delivery.lost.signal])))
    } finally {
      inProgress.delete(id)
    }
  }

  async function checkLock(id: string): Promise<void> {
    const delivery = inProgress.get(id)
    if (!delivery) return
    const { lockSeconds } = context.config.worker
    const isHeld = await reclaimLock(context.redis, delivery.job, delivery.token, lockSeconds).catch(() => true) // retried soon
    if (!isHeld) abort(delivery)
  }

  return { run, checkLock }
}
