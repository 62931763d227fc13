import type { Redis } from 'ioredis'
import type { JobReport } from '../publish/parts/report.ts'
import { isAfter, type ListPlace } from './list-place.ts'
import { type Created, createJob, findKnownJob, type KnownJob, type NewJob } from './new-job.ts'
import { hashOf, progressOf, recordOf } from './record-hash.ts'
import {
  claimKey,
  finishedChannel,
  jobListKey,
  openJobsKey,
  openRunsKey,
  recordKey,
  secretKeyOf,
  slicesKey,
  staleViewsKey,
} from './redis-keys.ts'
import { defineJobScripts } from './scripts.ts'
import { type finalStates, isFinished, type JobState } from './states.ts'

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

/** A job as its record has it. Times are ISO 8601, `acceptedAt` epoch milliseconds. Contract 7. */
export interface JobRecord {
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
  /** The packet's generation that this job committed. */
  generation: number | null
  batchSize: number
  force: boolean
  /**
   * The latest generation of its name when it was submitted: its own is above that. It is written with the record and
   * never changes, so a Redis that is rolled back has it right, or not the job. 0: unknown, of an earlier version.
   */
  latestBefore: number
  /** Someone asked for it to be cancelled, and its run has not stopped yet. */
  cancelling: boolean
  /** A run of it has begun to commit, and may do so at any time, be it frozen. */
  begun: boolean
  /** How long runs of it were under way so far, several at once counted once: waiting is not part of it. */
  ranMs: number
  /** Of the record, the request and the plan. */
  version: number
}

export type NamedJob = Pick<JobRecord, 'id' | 'orgName' | 'fileName'>

/** What a record's transition may be asked to write beside the state. */
export type Changes = Partial<Pick<JobRecord, 'report' | 'error' | 'generation' | 'progress'>>

/**
 * The truth about jobs: a Redis hash each, changed only by scripts that compare the state (and the attempt) first. The
 * queue merely delivers ids, at least once. Records live 7 days after their job finished.
 */
export interface JobRecords {
  /** Creates a queued job with its sealed key, unless an unfinished job holds the packet's name (no `force`). */
  create(job: NewJob): Promise<Created>
  /**
   * The job that was created with an idempotency key within the last 24 hours; null also when it failed through the
   * service itself (500, 503): such a failure is never replayed.
   */
  known(key: string): Promise<KnownJob | null>
  /** Fails a job that no worker has begun. @returns the state it was in; null without such a job. */
  withdraw(id: string, error: JobError): Promise<JobState | null>
  /** The runs that unfinished jobs take. The number is part of what creates and what finishes a job. */
  openRuns(): Promise<number>
  /** Counts them anew, should something else have removed records. */
  countOpenRuns(): Promise<void>
  read(id: string): Promise<JobRecord | null>
  /** The id of the unfinished job that holds a packet's name, if one does: for writers that are no jobs. */
  holder(orgName: string, fileName: string): Promise<string | null>
  /**
   * Begins a new attempt, its progress from nothing; a `step` of a large multi begins only the first one.
   * @returns its number, or why there is none.
   */
  start(id: string, step?: 'step'): Promise<number | 'finished' | 'cancelling' | 'lost'>
  /** A run ended by itself, whatever came of it: it did not take its worker with it. */
  endRun(id: string): Promise<void>
  /** running -> committing, for the attempt (null: any) that is still the latest and not to be cancelled; else false. */
  beginCommit(job: NamedJob, attempt: number | null, progress: JobProgress, report: JobReport): Promise<boolean>
  /**
   * Of the latest attempt only, so that progress never goes backwards within one. null: of any, and none to tell, for
   * a large multi, whose slices do. @returns why the run must stop, if so.
   */
  progress(
    id: string,
    attempt: number | null,
    progress: JobProgress | null,
  ): Promise<'superseded' | 'cancelling' | null>
  /**
   * Cancels a job of which no run is under way, at once; one that runs is asked to stop. @returns its state, and whether
   * this has cancelled it; null without such a job.
   */
  cancel(id: string): Promise<{ state: JobState; isNews: boolean } | null>
  /**
   * Any unfinished state -> a final one, once; tells those who wait. `unlessBegun`: false as well when a run of the job
   * has begun to commit.
   */
  finish(id: string, state: (typeof finalStates)[number], changes: Changes, unlessBegun?: boolean): Promise<boolean>
  /** An org's jobs (null: of all), newest first, from the place after `after`. Some may be gone. */
  list(orgName: string | null, after: ListPlace | null, limit: number): Promise<ListPlace[]>
  /** Ids of unfinished jobs that were created before a time (epoch milliseconds, by Redis's clock). */
  openBefore(time: number): Promise<string[]>
  /** Takes a finished job, or one that is gone, off the list of unfinished ones, with its sealed key. */
  close(id: string): Promise<void>
  /** Takes ids of jobs that are gone off a list. */
  unlist(orgName: string | null, ids: readonly string[]): Promise<void>
}

// Far more jobs than one Redis can create in a millisecond.
const mostPerMillisecond = 500

const keptSeconds = 7 * 24 * 3_600

/** A job that took so many workers with it is not run again. */
const mostUnendedRuns = 3

export function createJobRecords(redis: Redis): JobRecords {
  defineJobScripts(redis)
  const now = () => new Date().toISOString()
  const nameOf = ({ orgName, fileName }: Pick<JobRecord, 'orgName' | 'fileName'>) => `${orgName}/${fileName}`

  async function read(id: string): Promise<JobRecord | null> {
    const hash = await redis.hgetall(recordKey(id))
    return hash.id === undefined ? null : recordOf(hash)
  }

  /** Keys and values of the scripts that end a job. */
  const endingOf = (id: string, rule: string, fields: Changes & Pick<JobRecord, 'state'>) => [
    ...[recordKey(id), openJobsKey, secretKeyOf(id), slicesKey(id), openRunsKey],
    ...[id, String(keptSeconds), finishedChannel, claimKey(''), rule],
    ...hashOf({ ...fields, finishedAt: now() }),
  ]

  return {
    create: (job) => createJob(redis, job),
    read,
    async holder(orgName, fileName) {
      const id = await redis.get(claimKey(nameOf({ orgName, fileName })))
      const job = id === null ? null : await read(id)
      return job === null || isFinished(job) ? null : job.id
    },
    known: (key) => findKnownJob(redis, key),
    async withdraw(id, error) {
      const state = await redis.jobWithdraw(...endingOf(id, '', { state: 'failed', error }))
      return state === '' ? null : (state as JobState)
    },
    openRuns: async () => Number(await redis.get(openRunsKey)),
    async countOpenRuns() {
      await redis.jobCountRuns(openJobsKey, openRunsKey, recordKey(''))
    },
    async start(id, step) {
      const known = await redis.hget(recordKey(id), 'progress')
      const progress = progressOf('reading', known === null ? 0 : JSON.parse(known).subRequests)
      const values = [JSON.stringify(now()), String(mostUnendedRuns), JSON.stringify(progress), step ?? '']
      const attempt = await redis.jobStart(recordKey(id), ...values)
      if (attempt > 0) return attempt
      return attempt === 0 ? 'finished' : attempt === -1 ? 'cancelling' : 'lost'
    },
    async endRun(id) {
      await redis.jobEndRun(recordKey(id))
    },
    async beginCommit(job, attempt, progress, report) {
      const values = [String(attempt ?? ''), JSON.stringify(progress), JSON.stringify(report), nameOf(job)]
      return (await redis.jobCommit(recordKey(job.id), staleViewsKey, ...values)) === 1
    },
    async progress(id, attempt, progress) {
      const told = progress === null ? '' : JSON.stringify(progress)
      const stop = await redis.jobProgress(recordKey(id), String(attempt ?? ''), told)
      return stop === '' ? null : (stop as 'superseded' | 'cancelling')
    },
    async cancel(id) {
      const state = await redis.jobCancel(...endingOf(id, '', { state: 'cancelled' }))
      if (state === 'ended') return { state: 'cancelled', isNews: true }
      return state === '' ? null : { state: state as JobState, isNews: false }
    },
    async finish(id, state, changes, unlessBegun = false) {
      return (await redis.jobFinish(...endingOf(id, unlessBegun ? 'unlessBegun' : '', { ...changes, state }))) === 1
    },
    async list(orgName, after, limit) {
      const most = limit + mostPerMillisecond
      const range = [after?.createdAt ?? '+inf', '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, most, 'WITHSCORES'] as const
      const found = await redis.zrange(jobListKey(orgName), ...range)
      const places = found.flatMap((id, at) => (at % 2 === 0 ? [{ id, createdAt: Number(found[at + 1]) }] : []))
      return places.filter((place) => after === null || isAfter(place, after)).slice(0, limit)
    },
    openBefore: (time) => redis.zrange(openJobsKey, '-inf', `(${time}`, 'BYSCORE'),
    async close(id) {
      await redis.del(secretKeyOf(id))
      await redis.zrem(openJobsKey, id)
    },
    async unlist(orgName, ids) {
      if (ids.length > 0) await redis.zrem(jobListKey(orgName), ...ids)
    },
  }
}
