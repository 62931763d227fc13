import { DelayedError, type Job, UnrecoverableError, WaitingError } from 'bullmq'
import { AppError } from '../shared/errors/app-error.ts'
import * as errors from '../shared/errors/catalogue.ts'
import type { JobRecord } from '../shared/jobs/job.ts'
import { wasCancelled } from '../shared/jobs/stored/results.ts'
import { NewerVersionError } from '../shared/jobs/version.ts'
import { runFailed, runHandedBack } from '../shared/observability/events.ts'
import type { JobPayload } from '../shared/queue/queue.ts'
import { isRedisAway } from '../shared/redis/connect.ts'
import type { WorkerContext } from './context.ts'
import { handOver } from './fair-share.ts'
import { cancelJob, failJob } from './finish-job.ts'
import type { Tracking } from './progress.ts'

/** Abort reason: the job goes to another worker. */
export const handBack = Symbol('hand back')

/** Abort reason: another worker may already hold the job. */
export const lockLost = Symbol('lock lost')

/** Settles a run that did not succeed: hands back, cancels, retries or fails its job, or leaves it to another run. */
export async function settleRun(
  context: WorkerContext,
  job: JobRecord,
  delivery: Job<JobPayload>,
  attempt: number,
  { signal, report }: Tracking,
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
  if (thrown === handOver) {
    runHandedBack(context, run)
    await context.queue.newTurn(delivery, job.orgName)
    return delayJob(context, delivery)
  }
  if (thrown === lockLost) {
    runFailed(context, { ...run, isSuperseded: true }, errors.jobInterrupted())
    // The run that holds the lock decides about the job. BullMQ leaves the queue unchanged after this error.
    throw new WaitingError()
  }
  // The job is delivered again, without limit: see `runJob`.
  if (isRedisAway(thrown) || thrown instanceof NewerVersionError) throw thrown
  const stop = await report()
  if (stop?.code === 'jobCancelled') return cancelJob(context, job)
  const isSuperseded = stop?.code === 'jobInterrupted'
  runFailed(context, { ...run, isSuperseded }, thrown)
  if (isSuperseded) return
  const failure = thrown instanceof AppError ? thrown : errors.internal(thrown)
  await noteFailure(context, run, failure)
  // Redis was rolled back and lost the cancellation.
  if (failure.code === 'requestGone' && (await wasCancelled(context.store, job))) return cancelJob(context, job)
  const latest = await records.read(job.id)
  // From here on the packet may be committed: never fail the job without checking the generations first.
  if (latest?.state === 'committing' && failure.retryable) return delayJob(context, delivery)
  const isLast = delivery.attemptsMade + 1 >= (delivery.opts.attempts ?? 1)
  if (failure.retryable && !isLast) {
    // With its old turn the retry would precede later deliveries of other orgs.
    await context.queue.newTurn(delivery, job.orgName)
    // The queue stores the message in its events, so throw a code, never text that could contain a secret.
    throw new Error(failure.code)
  }
  await failJob(context, job, failure)
  throw new UnrecoverableError(failure.code)
}

/** Keeps the cause for clients. The run is settled whether or not Redis has memory for it. */
async function noteFailure(
  { records, log }: WorkerContext,
  { jobId, slice = null, attempt }: { jobId: string; slice: number | null | undefined; attempt: number },
  { code, message }: AppError,
): Promise<void> {
  const noted = records.noteFailure(jobId, { attempt, slice: slice ?? null, code, message })
  await noted.catch((err) => log.warn({ err, jobId }, 'cause of a failed run not written'))
}

/** Returns a job to the queue with a delay, without counting an attempt. */
export async function delayJob(
  { config }: WorkerContext,
  delivery: Job<JobPayload>,
  seconds = config.worker.retrySeconds,
): Promise<never> {
  await delivery.moveToDelayed(Date.now() + seconds * 1_000, delivery.token)
  throw new DelayedError()
}
