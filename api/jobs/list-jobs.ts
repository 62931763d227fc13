import { z } from 'zod'
import { coversOrg } from '../../shared/auth/principal.ts'
import type { ListPosition } from '../../shared/jobs/job.ts'
import { jobSchema } from '../../wire/job.ts'
import { noOrg } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { wholeNumber } from '../http/query.ts'
import { fitsFilter, jobFilter, orgsOf } from './job-filter.ts'
import { pageOfJobs } from './page-of-jobs.ts'

const position = z
  .string()
  .regex(/^\d{1,15}\.[\w-]{1,64}$/, 'must be the next of another listing')
  .transform((text): ListPosition => ({ createdAt: Number.parseInt(text, 10), id: text.slice(text.indexOf('.') + 1) }))

/** Contract 7, Jobs: newest first, of the orgs that the token covers. */
export const listJobs = defineEndpoint({
  method: 'get',
  path: '/1.0/jobs',
  summary: 'List jobs, newest first',
  scope: 'publish:read',
  access: noOrg,
  query: z.strictObject({
    ...jobFilter,
    limit: wholeNumber(1, 1_000).optional(),
    after: position.optional(),
  }),
  answer: z.object({ jobs: z.array(jobSchema), next: z.string().nullable() }),
  answers: { 404: 'The token does not cover the org' },
  async handle(context, input) {
    const { limit = 100, after = null, ...filter } = input.query
    const orgs = orgsOf(input.principal, filter.orgName)
    const fits = fitsFilter(filter)
    const asked = { limit, after: startOf(after, filter.until), since: filter.since, fits }
    if (filter.state !== 'open')
      return pageOfJobs(context, input, { ...asked, lists: orgs.map((orgName) => ({ orgName })) })
    const grant = { orgs: orgs.map((org) => org ?? '*') }
    return pageOfJobs(context, input, {
      ...asked,
      lists: ['unfinished'],
      fits: (job) => coversOrg(grant, job.orgName) && fits?.(job) !== false,
    })
  },
})

/** The position after which a page begins: that of the page before, or the first one before a time. */
export function startOf(after: ListPosition | null, until = Number.POSITIVE_INFINITY): ListPosition | null {
  if (after !== null && after.createdAt < until) return after
  return until === Number.POSITIVE_INFINITY ? null : { createdAt: until, id: '' }
}
