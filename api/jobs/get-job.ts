import { z } from 'zod'
import { jobSchema, jobView } from '../../wire/job.ts'
import { orgOfJob } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { wholeNumber } from '../http/query.ts'
import { jobId, requireVisible } from '../http/visible-job.ts'

/** Contract 7, Jobs. */
export const getJob = defineEndpoint({
  method: 'get',
  path: '/1.0/jobs/:id',
  summary: 'A job as it stands; with wait as soon as it finishes',
  scope: 'publish:read',
  access: orgOfJob,
  params: z.object({ id: jobId }),
  query: z.strictObject({ wait: wholeNumber(0, 55).optional() }),
  answer: jobSchema,
  async handle({ finished }, { principal, params, query, signal }) {
    const job = requireVisible(principal, await finished.wait(params.id, (query.wait ?? 0) * 1_000, signal))
    return { kind: 'json', value: jobView(job) }
  },
})
