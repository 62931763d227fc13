import { z } from 'zod'
import * as errors from '../../shared/errors/catalogue.ts'
import { isFinished } from '../../wire/job-states.ts'
import { orgOfJob } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { jobId, requireVisible } from '../http/visible-job.ts'
import { jobAnswer } from '../submission/job-answer.ts'
import { storedAnswers } from '../submission/stored-answers.ts'

/** Contract 7, Jobs: the response the POST would have had, with fresh URLs. */
export const jobResult = defineEndpoint({
  method: 'get',
  path: '/1.0/jobs/:id/result',
  summary: 'What the publish of a job answered',
  scope: 'publish:read',
  access: orgOfJob,
  params: z.object({ id: jobId }),
  query: z.strictObject({}),
  takes: ['Prefer'],
  answer: 'publish',
  answers: { ...storedAnswers, 409: 'It is not finished, or was cancelled' },
  async handle(context, { principal, params, prefer }) {
    const job = requireVisible(principal, await context.records.read(params.id))
    if (!isFinished(job)) throw errors.jobUnfinished(job.state)
    return jobAnswer(context, job, { Location: `/1.0/jobs/${job.id}` }, prefer.returnMinimal)
  },
})
