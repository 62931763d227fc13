import { z } from 'zod'
import * as errors from '../../shared/errors/catalogue.ts'
import { namesOf } from '../../shared/observability/audit.ts'
import { jobSchema, jobView } from '../../wire/job.ts'
import { isFinished } from '../../wire/job-states.ts'
import { orgOfJob } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { jobId, requireVisible } from '../http/visible-job.ts'

/** Contract 7, callbacks: queues the callback of a finished job again. */
export const sendCallback = defineEndpoint({
  method: 'post',
  path: '/1.0/jobs/:id/callback',
  summary: 'Send the callback of a finished job again',
  scope: 'publish:write',
  access: orgOfJob,
  params: z.object({ id: jobId }),
  query: z.strictObject({}),
  answer: jobSchema,
  answers: { 409: 'The job is not finished, or has no callback', 422: 'Callbacks are disabled' },
  async handle({ config, records, callbacks }, { principal, changed, params }) {
    const job = requireVisible(principal, await records.read(params.id))
    if (job.callback === null) throw errors.noCallback()
    if (!isFinished(job)) throw errors.callbackNotDue(job.state)
    if (config.callbacks === null) throw errors.callbacksOff()
    await callbacks.sendAgain(job)
    changed({ action: 'job.callback', ...namesOf(job) })
    const now = requireVisible(principal, await records.read(params.id))
    return { kind: 'json', value: jobView(now) }
  },
})
