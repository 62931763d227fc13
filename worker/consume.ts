import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'bullmq'
import * as errors from '../shared/errors/catalogue.ts'
import { type JobPayload, queueName, queuePrefix, workerOptions } from '../shared/jobs/queue.ts'
import { connectPatient } from '../shared/jobs/redis.ts'
import type { Releases } from '../shared/lifecycle/releases.ts'
import type { WorkerContext } from './context.ts'
import { failJob, handBack, runJob } from './run-job.ts'

/** Jobs under way may finish within this when the worker is told to stop; the rest are handed back. */
const graceMs = 25_000

/** Takes jobs from the queue until released. Its own connections, for BullMQ blocks on them. */
export async function consumeJobs(context: WorkerContext, releases: Releases): Promise<Worker> {
  const { config, log } = context
  const stopping = new AbortController()
  const connection = releases.add('queue connection', connectPatient(config.redis.url, log), (it) => it.disconnect())
  const worker = new Worker<JobPayload>(
    queueName,
    // Three parameters: only then BullMQ makes the signal that tells of a lost lock.
    (job, _token, lost) => runJob(context, job, lost ? AbortSignal.any([stopping.signal, lost]) : stopping.signal),
    { connection, prefix: queuePrefix, concurrency: config.worker.concurrency, ...workerOptions },
  )
  worker.on('error', (error) => log.warn({ err: error }, 'queue'))
  worker.on('stalled', (jobId) => log.warn({ jobId }, 'job lost its worker, to be run again'))
  worker.on('failed', async (job, error) => {
    if (!job || !error.message.includes('stalled')) return
    const record = await context.records.read(job.data.id)
    if (record) await failJob(context, record, errors.workerLost())
  })
  await worker.waitUntilReady()
  releases.add(
    'queue worker',
    worker,
    async (it) => {
      const closed = it.close()
      await Promise.race([closed, delay(graceMs, null, { ref: false })])
      stopping.abort(handBack)
      await closed
    },
    graceMs + 10_000,
  ) // closing hangs when Redis is away
  return worker
}
