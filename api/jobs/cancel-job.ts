import { z } from 'zod'
import * as errors from '../../shared/errors/catalogue.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { removeStored, voidStoredParts } from '../../shared/jobs/stored/results.ts'
import { withTimeout } from '../../shared/lifecycle/timeout.ts'
import { namesOf } from '../../shared/observability/audit.ts'
import { jobFinished } from '../../shared/observability/events.ts'
import { packetName } from '../../shared/storage/keys.ts'
import { jobSchema, jobView } from '../../wire/job.ts'
import { isFinished } from '../../wire/job-states.ts'
import type { ApiContext } from '../context.ts'
import { orgOfJob } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { jobId, requireVisible } from '../http/visible-job.ts'

/** Contract 7, Jobs: 200 once the job is cancelled (at once if it is not running), 202 while its runs stop. */
export const cancelJob = defineEndpoint({
  method: 'post',
  path: '/1.0/jobs/:id/cancel',
  summary: 'Cancel a publish that is not committed yet',
  scope: 'publish:write',
  access: orgOfJob,
  params: z.object({ id: jobId }),
  query: z.strictObject({}),
  answer: jobSchema,
  answers: { 202: 'Its run is being stopped', 409: 'It is finished, or past its commit' },
  async handle(context, { principal, changed, params }) {
    const job = requireVisible(principal, await context.records.read(params.id))
    if (!isFinished(job) && (await hasCommitted(context, job))) throw errors.notCancellable('committed')
    // Otherwise a run that starts meanwhile would find the void and fail.
    const held = await context.records.hold(job.id)
    const mayCancel = held !== 'held' || (await voidStoredParts(context, job).catch(() => true))
    if (!mayCancel) throw errors.notCancellable('committed')
    const { state, isCancelledNow } = (await context.records.cancel(job.id)) ?? { state: 'gone', isCancelledNow: false }
    if (!isCancelledNow && state !== 'running' && state !== 'cancelled') throw errors.notCancellable(state)
    const outcome = state === 'cancelled' ? 'done' : 'accepted'
    if (held === 'held' || held === 'running') changed({ action: 'job.cancel', ...namesOf(job) }, outcome)
    await Promise.all([isCancelledNow && removeLeftovers(context, job), context.records.replicated()])
    const now = requireVisible(principal, await context.records.read(params.id))
    return { kind: 'json', status: now.state === 'cancelled' ? 200 : 202, value: jobView(now) }
  },
})

// Asks the store, as a rolled-back Redis may have lost the commit. An unavailable store does not prevent a cancel.
const hasCommitted = ({ generations }: ApiContext, { id, orgName, fileName, order }: JobRecord) =>
  generations.ofJob(packetName(orgName, fileName), id, order.latestBefore).then(Boolean, () => false)

async function removeLeftovers(context: ApiContext, job: JobRecord): Promise<void> {
  const { queue, log } = context
  jobFinished(context, job, { outcome: 'cancelled', isFirst: true })
  const callback = job.callback && context.callbacks.add(job)
  const removed = Promise.all([callback, queue.remove(job), removeStored(context, job, 'cancelled')]).catch((error) =>
    log.warn({ err: error, jobId: job.id }, 'clean-up of a cancelled job failed; the janitor will repeat it'),
  )
  // The response waits only briefly, as there may be thousands of parts. The janitor removes what this process does not.
  await withTimeout(removed, 2_000).catch(() => {})
}
