import { DelayedError, type Job, UnrecoverableError, WaitingChildrenError, WaitingError } from 'bullmq'
import { AppError } from '../shared/errors/app-error.ts'
import * as errors from '../shared/errors/catalogue.ts'
import type { JobPayload } from '../shared/jobs/queue.ts'
import type { JobRecord } from '../shared/jobs/record.ts'
import { isRedisAway } from '../shared/jobs/redis.ts'
import { isFinished } from '../shared/jobs/states.ts'
import { wasCancelled } from '../shared/jobs/stored-request.ts'
import { isNewer, jobVersion } from '../shared/jobs/version.ts'
import { runBegun, runFailed, runHandedBack } from '../shared/observability/events.ts'
import type { WorkerContext } from './context.ts'
import { cancelJob, failJob, finishCommitted } from './finish-job.ts'
import { type Tracking, trackProgress } from './progress.ts'
import { stepOf } from './steps.ts'

const retryMs = 5_000

/** The reason of an abort that gives the job to another worker. */
export const handBack = Symbol('hand back')

/** The reason of an abort of a run whose job another worker may have by now. */
export const lockLost = Symbol('lock lost')

/**
 * Without the store a job can neither be run nor failed, for it may have committed, and a Redis without memory takes no
 * word about it: it waits until they are back, and no attempt is burned.
 * The queue would give it up, and only the janitor bring it back.
 */
export async function runJob(context: WorkerContext, delivery: Job<JobPayload>, stopping: AbortSignal): Promise<void> {
  try {
    await runOnce(context, delivery, stopping)
  } catch (error) {
    const isStoreAway = error instanceof AppError && error.code === 'storeAway'
    if (!isStoreAway && !isRedisAway(error)) throw error
    context.log.warn({ jobId: delivery.data.id, err: error }, 'job waits for what it needs')
    await delayJob(delivery)
  }
}

/**
 * Around every run of a job, or of a slice of one. The queue delivers each at least once, so whatever comes is held
 * against the record and the generations first: a finished job is left alone, one that was committed is only marked so.
 */
async function runOnce(context: WorkerContext, delivery: Job<JobPayload>, stopping: AbortSignal): Promise<void> {
  const { id, slice } = delivery.data
  const { records, queue, log } = context
  const [job] = await Promise.all([records.read(id), queue.begun(delivery.opts.priority)])
  if (job === null || isFinished(job)) return
  if (isNewer(delivery.data) || isNewer(job)) {
    log.warn({ jobId: id, knows: jobVersion }, 'job of a newer version, left to newer workers: update this one')
    return delayJob(delivery)
  }
  if (slice === undefined && (await finishCommitted(context, job))) return
  const step = stepOf(context, job, delivery)
  const attempt = await step.start()
  if (attempt === 'finished') return
  if (attempt === 'cancelling') return cancelJob(context, job)
  if (attempt === 'lost') return failJob(context, job, errors.workerLost())
  runBegun(context, { jobId: id, slice, attempt })
  const tracking = trackProgress(context, step, attempt, stopping)
  try {
    const { signal, onProgress } = tracking
    await step.run({ attempt, signal, onProgress })
    if (slice !== undefined) {
      await tracking.tell()
      log.info({ jobId: id, slice, attempt }, 'slice built')
    }
    await step.endRun()
  } catch (error) {
    tracking.stop()
    await step.endRun()
    if (error instanceof WaitingChildrenError) throw error
    await settle(context, job, delivery, attempt, tracking, error)
  } finally {
    tracking.stop()
  }
}

/** What becomes of a run that did not succeed: handed back, left to another, cancelled, tried again, or failed for good. */
async function settle(
  context: WorkerContext,
  job: JobRecord,
  delivery: Job<JobPayload>,
  attempt: number,
  { signal, tell }: Tracking,
  error: unknown,
) {
  const { records } = context
  const run = { jobId: job.id, slice: delivery.data.slice, attempt }
  const thrown = signal.aborted ? signal.reason : error
  if (thrown === handBack) {
    runHandedBack(context, run)
    await delivery.moveToWait(delivery.token)
    throw new WaitingError()
  }
  if (thrown === lockLost) {
    runFailed(context, { ...run, isSuperseded: true }, errors.jobInterrupted())
    // What becomes of the job is for the run that has the lock: BullMQ leaves the queue as it is after this error.
    throw new WaitingError()
  }
  // The queue gives it again, however often that happens: see `runJob`.
  if (isRedisAway(thrown)) throw thrown
  const stop = await tell()
  if (stop?.code === 'jobCancelled') return cancelJob(context, job)
  const isSuperseded = stop?.code === 'jobInterrupted'
  runFailed(context, { ...run, isSuperseded }, thrown)
  if (isSuperseded) return
  const failure = thrown instanceof AppError ? thrown : errors.internal(thrown)
  // Redis was rolled back, and has forgotten that.
  if (failure.code === 'requestGone' && (await wasCancelled(context.store, job))) return cancelJob(context, job)
  const latest = await records.read(job.id)
  // Past this point the packet may have been committed: it is never failed without looking at the generations first.
  if (latest?.state === 'committing' && failure.retryable) return delayJob(delivery)
  const isLast = delivery.attemptsMade + 1 >= (delivery.opts.attempts ?? 1)
  // What is thrown here is kept in the queue's events: a code, never a text that could hold a secret.
  if (failure.retryable && !isLast) throw new Error(failure.code)
  await failJob(context, job, failure)
  throw new UnrecoverableError(failure.code)
}

/** Gives a job back to the queue for a while, without counting it as an attempt. */
export async function delayJob(delivery: Job<JobPayload>): Promise<never> {
  await delivery.moveToDelayed(Date.now() + retryMs, delivery.token)
  throw new DelayedError()
}
