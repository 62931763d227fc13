import { z } from 'zod'
import { coversOrg, type Principal } from '../../shared/auth/principal.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { isAfter, type JobRecord, type JobRecords, jobStates, type ListPlace } from '../../shared/jobs/record.ts'
import { orgName } from '../../shared/storage/names.ts'
import { defineEndpoint } from '../endpoint.ts'
import { wholeNumber } from '../query.ts'
import { jobView } from './visible-job.ts'

/** A page may be short of its limit when few jobs are in the state asked for. */
const mostSeen = 5_000

const place = z
  .string()
  .regex(/^\d{1,15}\.[\w-]{1,64}$/, 'must be the next of another listing')
  .transform((text): ListPlace => ({ createdAt: Number.parseInt(text, 10), id: text.slice(text.indexOf('.') + 1) }))

/** Contract 7, Jobs: newest first, of the orgs that the token covers. */
export const listJobs = defineEndpoint({
  method: 'get',
  path: '/1.0/jobs',
  summary: 'List jobs, newest first',
  scope: 'publish:read',
  query: z.strictObject({
    orgName: orgName.optional(),
    state: z.enum(jobStates, `must be one of ${jobStates.join(', ')}`).optional(),
    limit: wholeNumber(1, 1_000).optional(),
    after: place.optional(),
  }),
  async handle({ records }, { principal, query: { limit = 100, state, after = null, ...query } }) {
    const jobs: JobRecord[] = []
    let next = ''
    let seen = 0
    for await (const { job, at } of jobsOf(records, listsOf(principal, query.orgName), after)) {
      if (jobs.length === limit || seen === mostSeen) return { kind: 'json', value: { jobs: jobs.map(jobView), next } }
      if (state === undefined || job.state === state) jobs.push(job)
      next = `${at.createdAt}.${at.id}`
      seen++
    }
    return { kind: 'json', value: { jobs: jobs.map(jobView), next: null } }
  },
})

/** The lists that a token may see; null is that of all orgs. @throws noSuchOrg (404) for an org that it does not cover. */
function listsOf(principal: Principal, orgName: string | undefined): (string | null)[] {
  if (orgName !== undefined && !coversOrg(principal, orgName)) throw errors.noSuchOrg(orgName)
  if (orgName !== undefined) return [orgName]
  if (principal.orgs.includes('*')) return [null]
  // A job of a sub-directory stands in the lists of both.
  return principal.orgs.filter((org) => !principal.orgs.some((other) => org.startsWith(`${other}/`)))
}

const pageSize = 200

/** All of the lists merged, newest first; what is gone is taken off them on the way. */
async function* jobsOf(records: JobRecords, lists: readonly (string | null)[], after: ListPlace | null) {
  for (let from = after; ; ) {
    const pages = await Promise.all(lists.map((list) => records.list(list, from, pageSize)))
    const places = pages.flat().sort((a, b) => (isAfter(a, b) ? 1 : -1))
    const page = places.slice(0, pageSize)
    const found = await Promise.all(page.map(({ id }) => records.read(id)))
    for (const [index, job] of found.entries()) if (job) yield { job, at: page[index] as ListPlace }
    const gone = page.filter((_, index) => found[index] === null).map(({ id }) => id)
    await Promise.all(lists.map((list) => records.unlist(list, gone)))
    if (page.length < pageSize) return
    from = page.at(-1) as ListPlace
  }
}
