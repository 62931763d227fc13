import { z } from 'zod'
import { coversOrg, type Principal } from '../../shared/auth/principal.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { eachJob } from '../../shared/jobs/job-list.ts'
import { jobSchema, jobView } from '../../shared/jobs/job-view.ts'
import type { ListPosition } from '../../shared/jobs/list-position.ts'
import type { JobRecord } from '../../shared/jobs/record.ts'
import { jobStates } from '../../shared/jobs/states.ts'
import { orgName } from '../../shared/storage/names.ts'
import { noOrg } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { wholeNumber } from '../http/query.ts'

/** Jobs read for one page at most: with a `state` filter a page may hold fewer than `limit`. */
const maxRead = 5_000

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
    state: z.enum(jobStates, `must be one of ${jobStates.join(', ')}`).optional(),
    limit: wholeNumber(1, 1_000).optional(),
    after: position.optional(),
  }),
  answer: z.object({ jobs: z.array(jobSchema), next: z.string().nullable() }),
  answers: { 404: 'The org belongs to another' },
  async handle({ records }, { principal, query: { limit = 100, state, after = null, ...query } }) {
    const jobs: JobRecord[] = []
    let next = ''
    let read = 0
    for await (const { job, position } of eachJob(records, listsOf(principal, query.orgName), after)) {
      if (jobs.length === limit || read === maxRead) return { kind: 'json', value: { jobs: jobs.map(jobView), next } }
      if (state === undefined || job.state === state) jobs.push(job)
      next = `${position.createdAt}.${position.id}`
      read++
    }
    return { kind: 'json', value: { jobs: jobs.map(jobView), next: null } }
  },
})

/** The job lists a token may read; null is the list of all orgs. @throws noSuchOrg (404) if the token lacks the org. */
function listsOf(principal: Principal, orgName: string | undefined): (string | null)[] {
  if (orgName !== undefined && !coversOrg(principal, orgName)) throw errors.noSuchOrg(orgName)
  if (orgName !== undefined) return [orgName]
  if (principal.orgs.includes('*')) return [null]
  // A parent's list includes the jobs of its sub-directories: reading both lists would repeat them.
  return principal.orgs.filter((org) => !principal.orgs.some((other) => org.startsWith(`${other}/`)))
}
