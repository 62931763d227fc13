import type { Sender } from '../observability/audit.ts'
import type { JobReport } from '../publish/report/report.ts'
import type { JobOrder } from './order.ts'
import type { JobState } from './states.ts'

export interface JobProgress {
  phase: 'queued' | 'reading' | 'committing' | 'done'
  subRequests: number
  subRequestsDone: number
  pairs: number
  parts: number
  bytes: number
}

export interface JobError {
  status: number
  code: string
  message: string
}

export const callbackStates = ['due', 'delivered', 'failed'] as const

/** Progress of the delivery of a job's callback. `lastStatus` is null until a receiver has answered. */
export interface JobCallback {
  state: (typeof callbackStates)[number]
  attempts: number
  lastStatus: number | null
}

/** A job as stored in its record, with the sender of its request. Times are ISO 8601. Contract 7. */
export interface JobRecord extends Sender {
  id: string
  kind: 'publish' | 'multi'
  state: JobState
  orgName: string
  fileName: string
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  attempt: number
  progress: JobProgress
  report: JobReport | null
  error: JobError | null
  /** null: the request asked for none. */
  callback: JobCallback | null
  order: JobOrder
  /** The generation of the packet that this job committed. */
  generation: number | null
  /** When the packet expires: null until the job has succeeded, and if it never does. */
  expiresAt: string | null
  /** Cancellation was requested and the run has not stopped yet. */
  cancelling: boolean
  /** A run has begun to commit, and may complete the commit at any time, even after it was frozen. */
  begun: boolean
  /** Time spent in runs so far, concurrent runs counted once and waiting excluded. */
  ranMs: number
  /** Version of the record, the request and the plan. */
  version: number
}

export type NamedJob = Pick<JobRecord, 'id' | 'orgName' | 'fileName'>
