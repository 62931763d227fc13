import { type Job, WaitingChildrenError } from 'bullmq'
import { AppError } from '../shared/errors/app-error.ts'
import * as errors from '../shared/errors/catalogue.ts'
import type { JobRecord } from '../shared/jobs/job.ts'
import { tenantOf } from '../shared/jobs/open-runs.ts'
import { NewerVersionError, requireKnownVersion } from '../shared/jobs/version.ts'
import { asTenant } from '../shared/lifecycle/current-tenant.ts'
import { runStarted } from '../shared/observability/events.ts'
import { withTrace } from '../shared/observability/trace.ts'
import { inDeliverySpan, type JobPayload } from '../shared/queue/queue.ts'
import { isRedisAway } from '../shared/redis/connect.ts'
import { isFinished } from '../wire/job-states.ts'
import type { WorkerContext } from './context.ts'
import { cancelJob, failJob, finishCommitted, succeedJob } from './finish-job.ts'
import { trackProgress } from './progress.ts'
import { publishJob, publishSlice } from './publish.ts'
import { delayJob, settleRun } from './settle-run.ts'

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
    const unended = await context.records.unendedRuns(id, slice)
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
  const attempt = await context.records.start(id, slice)
  if (attempt === 'finished') return
  if (attempt === 'cancelling') return cancelJob(context, job)
  if (attempt === 'lost') return failJob(context, job, errors.workerLost())
  runStarted(context, { jobId: id, slice, attempt })
  const tracking = trackProgress(context, delivery.data, attempt, stopping)
  const { signal, onProgress } = tracking
  const run = { attempt, signal, onProgress }
  let isWaiting = false
  try {
    await inDeliverySpan(job, slice, attempt, async () => {
      if (slice !== undefined) return publishSlice(context, job, slice, run)
      const generation = await publishJob(context, job, run, delivery)
      if (generation !== null) return succeedJob(context, job, generation)
      isWaiting = true
    })
    if (slice !== undefined) {
      await tracking.report()
      context.log.info({ jobId: id, slice, attempt }, 'slice built')
    }
    await context.records.endRun(id, slice)
  } catch (error) {
    tracking.stop()
    await context.records.endRun(id, slice)
    await settleRun(context, job, delivery, attempt, tracking, error)
  } finally {
    tracking.stop()
  }
  if (isWaiting) throw new WaitingChildrenError()
}
