import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq'
import { AppError } from '../shared/errors/app-error.ts'
import * as errors from '../shared/errors/catalogue.ts'
import { isFinished } from '../shared/jobs/finish-waiter.ts'
import type { JobPayload } from '../shared/jobs/queue.ts'
import type { JobRecord } from '../shared/jobs/record.ts'
import type { WorkerContext } from './context.ts'
import { cancelJob, failJob, finishCommitted, succeedJob } from './finish-job.ts'
import { trackProgress } from './progress.ts'
import { publishPacket } from './publish-packet.ts'

const commitRetryMs = 5_000

/** The reason of an abort that gives the job to another worker. */
export const handBack = Symbol('hand back')

/**
 * Around every run of a job. The queue delivers a job at least once, so whatever comes is held against the record and
 * the generations first: a finished job is left alone, one that was committed is only marked so.
 */
export async function runJob(context: WorkerContext, delivery: Job<JobPayload>, stopping: AbortSignal): Promise<void> {
  const { id } = delivery.data
  const { records } = context
  const job = await records.read(id)
  if (job === null || isFinished(job)) return
  if (await finishCommitted(context, job)) return
  const attempt = await records.start(id)
  if (attempt === 'finished') return
  if (attempt === 'cancelling') return cancelJob(context, job)
  if (attempt === 'lost') return failJob(context, job, errors.workerLost())
  context.log.info({ jobId: id, attempt }, 'job started')
  const tracking = trackProgress(context, job, attempt, stopping)
  try {
    const { signal, onProgress } = tracking
    const generation = await publishPacket(context, job, { attempt, signal, onProgress })
    await succeedJob(context, job, generation)
  } catch (error) {
    tracking.stop()
    await records.endRun(id)
    await settle(context, job, delivery, attempt, tracking.signal.aborted ? tracking.signal.reason : error)
  } finally {
    tracking.stop()
  }
}

/** What becomes of a run that did not succeed: handed back, cancelled, tried again, or failed for good. */
async function settle(
  context: WorkerContext,
  job: JobRecord,
  delivery: Job<JobPayload>,
  attempt: number,
  thrown: unknown,
) {
  const { log, metrics, records } = context
  if (thrown === handBack) {
    log.info({ jobId: job.id, attempt }, 'job handed back')
    metrics.jobs.inc({ outcome: 'handedBack' })
    await delivery.moveToWait(delivery.token)
    throw new WaitingError()
  }
  const latest = await records.read(job.id)
  const isSuperseded = latest === null || isFinished(latest) || latest.attempt !== attempt
  if (!isSuperseded && latest.cancelling && latest.state === 'running') return cancelJob(context, job)
  log.warn({ jobId: job.id, attempt, isSuperseded, err: thrown }, 'run failed')
  if (isSuperseded) return
  const error = thrown instanceof AppError ? thrown : errors.internal(thrown)
  // Past this point the packet may have been committed: it is never failed without looking at the generations first.
  if (latest.state === 'committing' && error.retryable) {
    await delivery.moveToDelayed(Date.now() + commitRetryMs, delivery.token)
    throw new DelayedError()
  }
  const isLast = delivery.attemptsMade + 1 >= (delivery.opts.attempts ?? 1)
  // What is thrown here is kept in the queue's events: a code, never a text that could hold a secret.
  if (error.retryable && !isLast) throw new Error(error.code)
  await failJob(context, job, error)
  throw new UnrecoverableError(error.code)
}
