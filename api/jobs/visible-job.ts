import { z } from 'zod'
import { coversOrg, type Principal } from '../../shared/auth/principal.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { JobRecord } from '../../shared/jobs/record.ts'

export const jobId = z.string().regex(/^[\w-]{1,64}$/, 'must be the id of a job')

/** A job of another org is answered like one that does not exist. @throws noSuchJob (404) */
export function requireVisible(principal: Principal, job: JobRecord | null): JobRecord {
  if (job === null || !coversOrg(principal, job.orgName)) throw errors.noSuchJob()
  return job
}

/** A job as clients see it. Contract 7, Job. */
export function jobView({ batchSize, force, generation, cancelling, ...job }: JobRecord): object {
  return job
}
