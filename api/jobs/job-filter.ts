import { z } from 'zod'
import { orgName } from '../../packet/names.ts'
import { coversOrg, type Principal, rootsOf } from '../../shared/auth/principal.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { JobBrief } from '../../shared/jobs/job-records.ts'
import { callbackStates } from '../../wire/job.ts'
import { isFinished, listedStates } from '../../wire/job-states.ts'
import { once, word } from '../http/query.ts'

/** Characters of a text that jobs are searched for. Beyond this limit the answer is `400 invalidRequest`. */
const longestText = 200

const time = once
  .refine((text) => z.iso.datetime().safeParse(text).success, {
    message: 'must be a time as 2026-11-22T12:00:00Z',
    abort: true,
  })
  .transform((text) => Date.parse(text))
  .meta({ override: { type: 'string', format: 'date-time' } })

/** The parameters that choose jobs of a list. */
export const jobFilter = {
  orgName: orgName.optional(),
  state: z.enum(listedStates, `must be one of ${listedStates.join(', ')}`).optional(),
  callback: word(callbackStates).optional(),
  q: once
    .refine((text) => text.length > 0 && text.length <= longestText, `must have 1 to ${longestText} characters`)
    .meta({ override: { type: 'string', minLength: 1, maxLength: longestText } })
    .optional(),
  since: time.optional(),
  until: time.optional(),
}

export interface JobFilter {
  orgName?: string | undefined
  state?: (typeof listedStates)[number] | undefined
  callback?: (typeof callbackStates)[number] | undefined
  q?: string | undefined
  since?: number | undefined
  until?: number | undefined
}

/** Whether a job fits all but the org and the time; undefined: every job does. */
export function fitsFilter({ state, callback, q }: JobFilter): ((job: JobBrief) => boolean) | undefined {
  if (state === undefined && callback === undefined && q === undefined) return undefined
  const text = q?.toLowerCase()
  return (job) =>
    (state === undefined || (state === 'open' ? !isFinished(job) : job.state === state)) &&
    (callback === undefined || job.callback === callback) &&
    (text === undefined || job.id.includes(text) || `${job.orgName}/${job.fileName}`.toLowerCase().includes(text))
}

/** The orgs whose jobs are listed; null: all. @throws noSuchOrg (404) if the token lacks the org. */
export function orgsOf(principal: Principal, orgName: string | undefined): (string | null)[] {
  if (orgName !== undefined && !coversOrg(principal, orgName)) throw errors.noSuchOrg(orgName)
  if (orgName !== undefined) return [orgName]
  // The list of an org includes the jobs of its sub-directories.
  return rootsOf(principal) ?? [null]
}
