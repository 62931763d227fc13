import { z } from 'zod'
import { readSlices } from '../../shared/jobs/stored/slices-seen.ts'
import { slicesBody } from '../../wire/job.ts'
import { orgOfJob } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { jobId, requireVisible } from '../http/visible-job.ts'

/** Contract 7, Jobs: what the runs of a large multi are at. */
export const jobSlices = defineEndpoint({
  method: 'get',
  path: '/1.0/jobs/:id/slices',
  summary: 'The slices of a large multi in progress',
  scope: 'publish:read',
  access: orgOfJob,
  params: z.object({ id: jobId }),
  query: z.strictObject({}),
  answer: slicesBody,
  async handle({ records, redis }, { principal, params }) {
    requireVisible(principal, await records.read(params.id))
    return { kind: 'json', value: { slices: await readSlices(redis, params.id) } }
  },
})
