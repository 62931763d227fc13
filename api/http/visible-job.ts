import { z } from 'zod'
import { coversOrg, type Principal } from '../../shared/auth/principal.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'

export const jobId = z.string().regex(/^[\w-]{1,64}$/, 'must be the id of a job')

/** Treats a job of another org as missing. @throws noSuchJob (404) */
export function requireVisible(principal: Principal, job: JobRecord | null): JobRecord {
  if (job === null || !coversOrg(principal, job.orgName)) throw errors.noSuchJob()
  return job
}
