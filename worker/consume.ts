import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'bullmq'
import { type JobPayload, queueName, queuePrefix, workerOptions } from '../shared/jobs/queue.ts'
import { connectPatient } from '../shared/jobs/redis.ts'
import type { Releases } from '../shared/lifecycle/releases.ts'
import { jobStalled, locksLost } from '../shared/observability/events.ts'
import type { WorkerContext } from './context.ts'
import { handBack, runJob } from './run-job.ts'

/** Takes jobs from the queue until released. Its own connections, for BullMQ blocks on them. */
export async function consumeJobs(context: WorkerContext, releases: Releases): Promise<Worker> {
  const { config, log } = context
  const stopping = new AbortController()
  const connection = releases.add('queue connection', connectPatient(config.redis.url, log), (it) => it.disconnect())
  const worker = new Worker<JobPayload>(
    queueName,
    // Three parameters: only then BullMQ makes the signal that tells of a lost lock.
    (job, _token, lost) =>
      context.slots.hold(() => runJob(context, job, lost ? AbortSignal.any([stopping.signal, lost]) : stopping.signal)),
    { connection, prefix: queuePrefix, concurrency: config.worker.concurrency, ...workerOptions },
  )
  worker.on('error', (error) => log.warn({ err: error }, 'queue'))
  worker.on('stalled', (jobId) => jobStalled(context, jobId))
  worker.on('lockRenewalFailed', (jobIds) => locksLost(context, jobIds))
  await worker.waitUntilReady()
  // Jobs under way may finish within the grace; the rest are handed back.
  const graceMs = config.worker.stopGraceSeconds * 1_000
  const stop = async () => {
    const closed = worker.close()
    await Promise.race([closed, delay(graceMs, null, { ref: false })])
    stopping.abort(handBack)
    await closed
  }
  releases.add('queue worker', worker, stop, graceMs + 10_000) // closing hangs when Redis is away
  return worker
}
