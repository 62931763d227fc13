import { DelayedError, type Job, UnrecoverableError, WaitingChildrenError, WaitingError } from 'bullmq'
import { AppError } from '../shared/errors/app-error.ts'
import * as errors from '../shared/errors/catalogue.ts'
import type { JobRecord } from '../shared/jobs/job.ts'
import { tenantOf } from '../shared/jobs/open-runs.ts'
import { wasCancelled } from '../shared/jobs/stored/stored-request.ts'
import { NewerVersionError, requireKnownVersion } from '../shared/jobs/version.ts'
import { asTenant } from '../shared/lifecycle/current-tenant.ts'
import { runFailed, runHandedBack, runStarted } from '../shared/observability/events.ts'
import { inSpan } from '../shared/observability/spans.ts'
import { withTrace } from '../shared/observability/trace.ts'
import { type JobPayload, messagingAttributes } from '../shared/queue/queue.ts'
import { isRedisAway } from '../shared/redis/connect.ts'
import { isFinished } from '../wire/job-states.ts'
import type { WorkerContext } from './context.ts'
import { handOver } from './fair-share.ts'
import { cancelJob, failJob, finishCommitted } from './finish-job.ts'
import { type Tracking, trackProgress } from './progress.ts'
import { stepOf } from './steps.ts'

/** Abort reason: the job goes to another worker. */
export const handBack = Symbol('hand back')

/** Abort reason: another worker may already hold the job. */
export const lockLost = Symbol('lock lost')

/** How long a delivery gives way to deliveries of other orgs. */
const turnSeconds = 1

/**
 * Runs a job or slice that the queue delivers. Without the store a job can neither run nor fail, because it may have
 * committed. A Redis that is out of memory accepts no updates. In both cases the job is delayed until they work again,
 * and uses no attempt. Otherwise the queue would give the job up, and only the janitor would restore it. A job of a
 * newer version is delayed until a newer worker takes it.
 */
export async function runJob(context: WorkerContext, delivery: Job<JobPayload>, stopping: AbortSignal): Promise<void> {
  let traced = context
  try {
    const { id, slice } = delivery.data
    const [job] = await Promise.all([context.records.read(id), context.queue.started(delivery.priority)])
    if (job === null || isFinished(job)) return
    traced = withTrace(context, job.traceparent)
    const tenant = tenantOf(job.orgName)
    const unended = await (slice === undefined
      ? context.records.unendedRuns(id)
      : context.slices.unendedRuns(id, slice))
    // If a run was lost with its worker, the next one runs alone, so that a further loss shows which job kills workers.
    const hasRun = await context.fairShare.run(tenant, unended > 0, (handOver) =>
      asTenant(tenant, () => runOnce(traced, job, delivery, AbortSignal.any([stopping, handOver]))),
    )
    if (hasRun) return
    await context.queue.newTurn(delivery, job.orgName, 'second')
    await delayJob(context, delivery, turnSeconds)
  } catch (error) {
    const isStoreAway = error instanceof AppError && error.code === 'storeAway'
    const isNewer = error instanceof NewerVersionError
    if (!isStoreAway && !isRedisAway(error) && !isNewer) throw error
    const reason = isNewer
      ? 'job of a newer version, left to newer workers: update this one'
      : 'job delayed until the store and Redis answer'
    traced.log.warn({ jobId: delivery.data.id, err: error }, reason)
    await delayJob(context, delivery)
  }
}

/**
 * Wraps every run of a job or slice. The queue delivers at least once, so this function first compares each delivery
 * with the record and the generations. It leaves a finished job alone, and only marks a committed job as succeeded.
 */
async function runOnce(
  context: WorkerContext,
  job: JobRecord,
  delivery: Job<JobPayload>,
  stopping: AbortSignal,
): Promise<void> {
  const { id, slice } = delivery.data
  requireKnownVersion(delivery.data)
  requireKnownVersion(job)
  // If a rolled-back Redis has forgotten the first run of a committed job, the next run finds its generation when it
  // commits.
  if (slice === undefined && job.attempt > 0 && (await finishCommitted(context, job))) return
  const step = stepOf(context, job, delivery)
  const attempt = await step.start()
  if (attempt === 'finished') return
  if (attempt === 'cancelling') return cancelJob(context, job)
  if (attempt === 'lost') return failJob(context, job, errors.workerLost())
  runStarted(context, { jobId: id, slice, attempt })
  const tracking = trackProgress(context, step, attempt, stopping)
  let isWaiting = false
  try {
    const { signal, onProgress } = tracking
    isWaiting = await inRunSpan(job, slice, attempt, () => step.run({ attempt, signal, onProgress }))
    if (slice !== undefined) {
      await tracking.report()
      context.log.info({ jobId: id, slice, attempt }, 'slice built')
    }
    await step.endRun()
  } catch (error) {
    tracking.stop()
    await step.endRun()
    await settle(context, job, delivery, attempt, tracking, error)
  } finally {
    tracking.stop()
  }
  if (isWaiting) throw new WaitingChildrenError()
}

/** A slice has a trace of its own, linked to that of its job, which would otherwise be too long to read. */
function inRunSpan(job: JobRecord, slice: number | undefined, attempt: number, run: () => Promise<boolean>) {
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

/** Settles a run that did not succeed: hands back, cancels, retries or fails its job, or leaves it to another run. */
async function settle(
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

/** Returns a job to the queue with a delay, without counting an attempt. */
export async function delayJob(
  { config }: WorkerContext,
  delivery: Job<JobPayload>,
  seconds = config.worker.retrySeconds,
): Promise<never> {
  await delivery.moveToDelayed(Date.now() + seconds * 1_000, delivery.token)
  throw new DelayedError()
}
