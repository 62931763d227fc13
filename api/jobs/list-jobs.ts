import { z } from 'zod'
import { orgName } from '../../packet/names.ts'
import { coversOrg, type Principal, rootsOf } from '../../shared/auth/principal.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { JobRecord, ListPosition } from '../../shared/jobs/job.ts'
import { jobSchema } from '../../wire/job.ts'
import { isFinished, listedStates } from '../../wire/job-states.ts'
import { noOrg } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { wholeNumber } from '../http/query.ts'
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
    orgName: orgName.optional(),
    state: z.enum(listedStates, `must be one of ${listedStates.join(', ')}`).optional(),
    limit: wholeNumber(1, 1_000).optional(),
    after: position.optional(),
  }),
  answer: z.object({ jobs: z.array(jobSchema), next: z.string().nullable() }),
  answers: { 404: 'The token does not cover the org' },
  async handle(context, input) {
    const { limit = 100, state, after = null, orgName } = input.query
    const orgs = orgsOf(input.principal, orgName)
    if (state !== 'open') {
      return pageOfJobs(context, input, { lists: orgs.map((org) => ({ orgName: org })), limit, after, state })
    }
    const grant = { orgs: orgs.map((org) => org ?? '*') }
    const isWanted = (job: JobRecord) => !isFinished(job) && coversOrg(grant, job.orgName)
    return pageOfJobs(context, input, { lists: ['unfinished'], limit, after, isWanted })
  },
})

/** The orgs whose jobs are listed; null: all. @throws noSuchOrg (404) if the token lacks the org. */
function orgsOf(principal: Principal, orgName: string | undefined): (string | null)[] {
  if (orgName !== undefined && !coversOrg(principal, orgName)) throw errors.noSuchOrg(orgName)
  if (orgName !== undefined) return [orgName]
  // The list of an org includes the jobs of its sub-directories.
  return rootsOf(principal) ?? [null]
}
