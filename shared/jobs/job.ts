import type { Job, JobReport } from '../../wire/job.ts'
import type { Sender } from '../observability/audit.ts'
import type { PublishRequest } from '../request/fields.ts'
import type { Manifest } from '../storage/manifest.ts'
import type { JobOrder } from './order.ts'

export type JobProgress = Job['progress']
export type JobError = NonNullable<Job['error']>
export type JobCallback = NonNullable<Job['callback']>
export type { JobFailure } from '../../wire/job.ts'

/** A valid publish or multi that an endpoint submits. */
export interface Submission
  extends Pick<JobRecord, 'kind' | 'orgName' | 'fileName'>,
    Pick<JobOrder, 'batchSize' | 'force'> {
  requests: readonly PublishRequest[]
}

/** The fields of a manifest that the answer to a publish needs. */
export type AnsweredPacket = Pick<Manifest, 'createdAt' | 'expiresAt'> & { parts: StoredPart[] }
type StoredPart = Pick<Manifest['parts'][number], 'key' | 'bytes' | 'compression'>

/** A job as stored in its record: what clients see, the sender of its request, and what only the service knows. */
export interface JobRecord extends Omit<Job, 'report'>, Sender {
  report: JobReport | null
  order: JobOrder
  /** The generation of the packet that this job committed. */
  generation: number | null
  /** What the answer needs of that packet, unless it has many parts; then its manifest says so. */
  packet: AnsweredPacket | null
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

/**
 * Number of sub-requests per slice. A job is a list of slices of this size, regardless of the number of workers, so that
 * its parts are always the same. A publish has one slice.
 */
export const subRequestsPerSlice = 20

export const sliceCount = (subRequests: number): number => Math.max(1, Math.ceil(subRequests / subRequestsPerSlice))

/** Whether the job has several slices, or may have: how many a selection makes is known once its nodes are listed. */
export const isSliced = ({ progress, order }: { progress: JobProgress; order: Pick<JobOrder, 'selects'> }): boolean =>
  order.selects === true || sliceCount(progress.subRequests) > 1

/**
 * Runs that a job takes if nothing fails: one, or one per slice plus one that commits. A selection adds its slices once
 * they are known.
 */
export const runsOf = (subRequests: number, { selects }: Pick<JobOrder, 'selects'>): number =>
  subRequests > subRequestsPerSlice && !selects ? sliceCount(subRequests) + 1 : 1

/** A job's position in a list: by creation time (epoch milliseconds), then by id, both descending. */
export interface ListPosition {
  id: string
  createdAt: number
}

export const isAfter = (a: ListPosition, b: ListPosition): boolean =>
  a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id)

/** Hash fields are JSON, except those that scripts compare. */
const bare = ['id', 'state', 'attempt', 'unended']

/** A record's fields as alternating names and values, the form HSET takes. */
export const hashOf = (fields: object): string[] =>
  Object.entries(fields).flatMap(([key, value]) => [key, bare.includes(key) ? String(value) : JSON.stringify(value)])

// Fields that a hash may lack.
const absent = {
  startedAt: null,
  finishedAt: null,
  report: null,
  error: null,
  callback: null,
  generation: null,
  packet: null,
  expiresAt: null,
  paused: null,
  waiting: null,
  failures: [],
  cancelling: false,
  begun: false,
  callbackRounds: 0,
  ranMs: 0,
  by: null,
  requestId: null,
  traceparent: null,
}

/** Fields that a callback may lack. */
const unattempted = { lastFailure: null, lastAttemptAt: null, nextAttemptAt: null, host: null }

/** Parses a hash returned by HGETALL. */
export function recordOf({
  unended,
  worker,
  runs,
  added,
  tickedAt,
  endedBy,
  ...hash
}: Record<string, string>): JobRecord {
  const fields = Object.entries(hash).map(([key, value]) => [key, bare.includes(key) ? value : JSON.parse(value)])
  const record = { ...absent, ...Object.fromEntries(fields), attempt: Number(hash.attempt) }
  return record.callback === null ? record : { ...record, callback: { ...unattempted, ...record.callback } }
}

/** The progress at the start of an attempt. */
export const progressOf = (phase: JobProgress['phase'], subRequests: number): JobProgress => ({
  phase,
  subRequests,
  subRequestsDone: 0,
  pairs: 0,
  parts: 0,
  bytes: 0,
})
