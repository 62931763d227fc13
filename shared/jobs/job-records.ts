import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { JobReport } from '../publish/report/report.ts'
import { type Creation, createJob, type EarlierJob, findEarlierJob, type NewJob } from './create-job.ts'
import { isAfter, type ListPosition } from './list-position.ts'
import { createOpenRuns, type OpenRuns } from './open-runs.ts'
import type { JobError, JobProgress, JobRecord, NamedJob } from './record.ts'
import { hashOf, progressOf, recordOf } from './record-hash.ts'
import {
  callbacksDueKey,
  claimKey,
  finishedChannel,
  jobListKey,
  openJobsKey,
  openRunsKey,
  recordKey,
  secretKeyOf,
  slicesKey,
  stalePlainFilesKey,
} from './redis-keys.ts'
import { requireReplicas } from './replicas.ts'
import { defineJobScripts } from './scripts.ts'
import { type finalStates, isFinished, type JobState } from './states.ts'

/** Fields that a transition may write besides the state. */
export type Changes = Partial<Pick<JobRecord, 'report' | 'error' | 'generation' | 'expiresAt' | 'progress'>>

/**
 * The source of truth about jobs: one Redis hash each, changed only by scripts that first compare the state (and the
 * attempt). The queue merely delivers ids, at least once. Records live 7 days after their job finished.
 */
export interface JobRecords {
  /** Creates a queued job with its sealed key. Without `force` no unfinished job may hold the packet's name. */
  create(job: NewJob): Promise<Creation>
  /**
   * The job created with an idempotency key within the last 24 hours; null also when it failed through a fault of the
   * service (500, 503): such a failure is never replayed. Waits until no failover can lose the job.
   */
  findByIdempotencyKey(key: string): Promise<EarlierJob | null>
  /** Fails a job that no worker has started. @returns its previous state; null if there is no such job. */
  withdraw(id: string, error: JobError): Promise<JobState | null>
  openRuns: OpenRuns
  read(id: string): Promise<JobRecord | null>
  /** Several records in one round trip: null for a job that does not exist, undefined for one that cannot be parsed. */
  readMany(ids: readonly string[]): Promise<(JobRecord | null | undefined)[]>
  /** States of several jobs in one round trip; null for a job that does not exist. */
  statesOf(ids: readonly string[]): Promise<(JobState | null)[]>
  /** The id of the unfinished job that holds a packet's name, if any: for writers that are not jobs. */
  holder(orgName: string, fileName: string): Promise<string | null>
  /**
   * Starts a new attempt with its progress reset; a `step` of a large multi starts only the first attempt. Only this
   * object may report the attempt's progress and begin its commit.
   * @returns the attempt's number, or why none was started.
   */
  start(id: string, step?: 'step'): Promise<number | 'finished' | 'cancelling' | 'lost'>
  /** Records that a run ended on its own, with any outcome: it did not take down its worker. */
  endRun(id: string): Promise<void>
  /** Number of runs that are under way or were lost with their workers. */
  unendedRuns(id: string): Promise<number>
  /** Changes running to committing, if the attempt (null: any) is the latest and the job is not being cancelled. */
  beginCommit(job: NamedJob, attempt: number | null, progress: JobProgress, report: JobReport): Promise<boolean>
  /**
   * Updates the progress of the latest attempt only, so that it never goes backwards within an attempt. A large multi
   * passes null for both, because its slices report progress. @returns why the run must stop, if it must.
   */
  progress(
    id: string,
    attempt: number | null,
    progress: JobProgress | null,
  ): Promise<'superseded' | 'cancelling' | null>
  /**
   * Cancels a job at once if no run is in progress; otherwise asks the run to stop. @returns its state, and whether
   * this call cancelled it; null if there is no such job. `replicated` waits until no failover can lose this.
   */
  cancel(id: string): Promise<{ state: JobState; isCancelledNow: boolean } | null>
  /** Waits until no failover can lose what Redis has now. @throws NotReplicatedError */
  replicated(): Promise<void>
  /**
   * Changes an unfinished state to a final one, once, and notifies waiters. @returns false if the job had already
   * finished or, with `unlessBegun`, if a run has begun to commit.
   */
  finish(id: string, state: (typeof finalStates)[number], changes: Changes, unlessBegun?: boolean): Promise<boolean>
  /** Jobs of a list, newest first, after the position `after`. Some may no longer exist. */
  list(of: JobList, after: ListPosition | null, limit: number): Promise<ListPosition[]>
  /** Ids of unfinished jobs created before a time (epoch milliseconds, by Redis's clock). */
  openBefore(time: number): Promise<string[]>
  /** Removes a finished or missing job from the list of unfinished ones, and deletes its sealed key. */
  close(id: string): Promise<void>
  /** Removes ids of jobs that no longer exist from a list. The janitor does this for the list of unfinished jobs. */
  unlist(of: JobList, ids: readonly string[]): Promise<void>
}

/** The jobs of an org and its sub-directories, the jobs of all orgs (null), or the unfinished jobs of all orgs. */
export type JobList = { orgName: string | null } | 'unfinished'

const keyOf = (of: JobList) => (of === 'unfinished' ? openJobsKey : jobListKey(of.orgName))

/** Jobs created in one millisecond. Beyond it a list may omit jobs. One Redis creates far fewer. */
const maxPerMillisecond = 500

const retentionSeconds = 7 * 24 * 3_600

/**
 * Workers that a job may lose. Beyond it the job fails with `500 workerLost`. Another job may have killed the first of
 * these workers; after that the job ran alone.
 */
const maxUnendedRuns = 3

/** A record that cannot be read must not hide other jobs. Its job stays listed, and the janitor logs it. */
function parsedRecord(hash: Record<string, string>): JobRecord | null | undefined {
  try {
    return hash.id === undefined ? null : recordOf(hash)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export function createJobRecords(redis: Redis): JobRecords {
  defineJobScripts(redis)
  const worker = randomUUID()
  const now = () => new Date().toISOString()
  const nameOf = ({ orgName, fileName }: Pick<JobRecord, 'orgName' | 'fileName'>) => `${orgName}/${fileName}`

  async function read(id: string): Promise<JobRecord | null> {
    const hash = await redis.hgetall(recordKey(id))
    return hash.id === undefined ? null : recordOf(hash)
  }

  async function together<T>(commands: string[][]): Promise<T[]> {
    const answers = (await redis.pipeline(commands).exec()) ?? []
    return answers.map(([error, answer]) => {
      if (error) throw error
      return answer as T
    })
  }

  /** Keys and values of the scripts that finish a job. */
  const endArguments = (id: string, rule: string, fields: Changes & Pick<JobRecord, 'state'>) => [
    ...[recordKey(id), openJobsKey, secretKeyOf(id), slicesKey(id), openRunsKey, callbacksDueKey],
    ...[id, String(retentionSeconds), finishedChannel, claimKey(''), rule],
    ...hashOf({ ...fields, finishedAt: now(), endedBy: randomUUID() }),
  ]

  return {
    create: (job) => createJob(redis, job),
    read,
    async readMany(ids) {
      const hashes = await together<Record<string, string>>(ids.map((id) => ['hgetall', recordKey(id)]))
      return hashes.map(parsedRecord)
    },
    statesOf: (ids) => together(ids.map((id) => ['hget', recordKey(id), 'state'])),
    async holder(orgName, fileName) {
      const id = await redis.get(claimKey(nameOf({ orgName, fileName })))
      const job = id === null ? null : await read(id)
      return job === null || isFinished(job) ? null : job.id
    },
    findByIdempotencyKey: (key) => findEarlierJob(redis, key),
    async withdraw(id, error) {
      const state = await redis.jobWithdraw(...endArguments(id, '', { state: 'failed', error }))
      return state === '' ? null : (state as JobState)
    },
    openRuns: createOpenRuns(redis),
    async start(id, step) {
      const known = await redis.hget(recordKey(id), 'progress')
      const progress = progressOf('reading', known === null ? 0 : JSON.parse(known).subRequests)
      const values = [JSON.stringify(now()), String(maxUnendedRuns), JSON.stringify(progress), worker, step ?? '']
      const attempt = await redis.jobStart(recordKey(id), ...values)
      if (attempt > 0) return attempt
      return attempt === 0 ? 'finished' : attempt === -1 ? 'cancelling' : 'lost'
    },
    async endRun(id) {
      await redis.jobEndRun(recordKey(id))
    },
    unendedRuns: async (id) => Number(await redis.hget(recordKey(id), 'unended')),
    async beginCommit(job, attempt, progress, report) {
      const values = [String(attempt ?? ''), worker, JSON.stringify(progress), JSON.stringify(report), nameOf(job)]
      return (await redis.jobCommit(recordKey(job.id), stalePlainFilesKey, ...values)) === 1
    },
    async progress(id, attempt, progress) {
      const text = progress === null ? '' : JSON.stringify(progress)
      const stop = await redis.jobProgress(recordKey(id), String(attempt ?? ''), worker, text)
      return stop === '' ? null : (stop as 'superseded' | 'cancelling')
    },
    async cancel(id) {
      const state = await redis.jobCancel(...endArguments(id, '', { state: 'cancelled' }))
      if (state === 'ended') return { state: 'cancelled', isCancelledNow: true }
      return state === '' ? null : { state: state as JobState, isCancelledNow: false }
    },
    replicated: () => requireReplicas(redis),
    async finish(id, state, changes, unlessBegun = false) {
      return (await redis.jobFinish(...endArguments(id, unlessBegun ? 'unlessBegun' : '', { ...changes, state }))) === 1
    },
    async list(of, after, limit) {
      const count = limit + maxPerMillisecond
      const range = [after?.createdAt ?? '+inf', '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, count, 'WITHSCORES'] as const
      const found = await redis.zrange(keyOf(of), ...range)
      const positions = found.flatMap((id, at) => (at % 2 === 0 ? [{ id, createdAt: Number(found[at + 1]) }] : []))
      return positions.filter((position) => after === null || isAfter(position, after)).slice(0, limit)
    },
    openBefore: (time) => redis.zrange(openJobsKey, '-inf', `(${time}`, 'BYSCORE'),
    async close(id) {
      await redis.del(secretKeyOf(id))
      await redis.zrem(openJobsKey, id)
    },
    async unlist(of, ids) {
      if (ids.length > 0 && of !== 'unfinished') await redis.zrem(keyOf(of), ...ids)
    },
  }
}
