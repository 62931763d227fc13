import type { Job, JobReport } from '../../wire/job.ts'
import type { Sender } from '../observability/audit.ts'
import type { JobOrder } from './order.ts'

export type JobProgress = Job['progress']
export type JobError = NonNullable<Job['error']>
export type JobCallback = NonNullable<Job['callback']>

/** A job as stored in its record: what clients see, the sender of its request, and what only the service knows. */
export interface JobRecord extends Omit<Job, 'report'>, Sender {
  report: JobReport | null
  order: JobOrder
  /** The generation of the packet that this job committed. */
  generation: number | null
  /** Cancellation was requested and the run has not stopped yet. */
  cancelling: boolean
  /** A run has begun to commit, and may complete the commit at any time, even after it was frozen. */
  begun: boolean
  /** How often the callback was made due again. */
  callbackRounds: number
  /** Time spent in runs so far, concurrent runs counted once and waiting excluded. */
  ranMs: number
  /** Version of the record, the request and the plan. */
  version: number
}

export type NamedJob = Pick<JobRecord, 'id' | 'orgName' | 'fileName'>
