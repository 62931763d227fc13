import { z } from 'zod'
import { coversOrg } from '../../shared/auth/principal.ts'
import { eachBrief } from '../../shared/jobs/job-list.ts'
import type { JobBrief } from '../../shared/jobs/job-records.ts'
import { type JobsSummary, jobsSummary as jobsSummaryBody } from '../../wire/jobs-summary.ts'
import { noOrg } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { fitsFilter, jobFilter, orgsOf } from './job-filter.ts'
import { startOf } from './list-jobs.ts'

/** Jobs that one summary reads. Beyond this limit it is of the newest of them, and `complete` is false. */
const maxRead = 20_000
/** Causes of failures in one summary. Beyond this limit it omits the rarest. */
const mostCauses = 20
/** Different causes that one summary counts. Beyond this limit it omits the causes of older jobs. */
const mostDistinct = 200

/** Contract 7, Jobs: how many jobs are in each state, and what the failed ones failed for. */
export const jobsSummary = defineEndpoint({
  method: 'get',
  path: '/1.0/jobs/summary',
  summary: 'Count jobs by state, by callback and by the cause of their failure',
  scope: 'publish:read',
  access: noOrg,
  query: z.strictObject(jobFilter),
  answer: jobsSummaryBody,
  answers: { 404: 'The token does not cover the org' },
  async handle(context, { principal, query: filter }) {
    const orgs = orgsOf(principal, filter.orgName)
    const grant = { orgs: orgs.map((org) => org ?? '*') }
    const fits = fitsFilter(filter)
    const summary = createSummary()
    let complete = true
    const after = startOf(null, filter.until)
    const isOpen = filter.state === 'open'
    const lists = isOpen ? (['unfinished'] as const) : orgs.map((orgName) => ({ orgName }))
    let read = 0
    for await (const job of eachBrief(context.records, lists, { after, since: filter.since })) {
      if (read++ === maxRead) {
        complete = false
        break
      }
      if (isOpen && !coversOrg(grant, job.orgName)) continue
      if (fits?.(job) !== false) summary.count(job)
    }
    return { kind: 'json', value: { complete, ...summary.read() } }
  },
})

/** Counts jobs, which come newest first. */
export function createSummary() {
  const states = { queued: 0, running: 0, committing: 0, succeeded: 0, failed: 0, cancelled: 0 }
  const callbacks = { due: 0, delivered: 0, failed: 0 }
  const causes: JobsSummary['causes'] = []
  return {
    count({ id, state, callback, error }: Pick<JobBrief, 'id' | 'state' | 'callback' | 'error'>): void {
      states[state]++
      if (callback !== null) callbacks[callback]++
      if (error === null) return
      const known = causes.find(({ code, message }) => code === error.code && message === error.message)
      if (known) known.count++
      else if (causes.length < mostDistinct) {
        causes.push({ code: error.code, message: error.message, count: 1, newest: id })
      }
    },
    read: (): Omit<JobsSummary, 'complete'> => ({
      states,
      callbacks,
      causes: causes.toSorted((a, b) => b.count - a.count).slice(0, mostCauses),
    }),
  }
}
