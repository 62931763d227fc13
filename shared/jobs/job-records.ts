import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { JobReport } from '../../wire/job.ts'
import { type FinalState, isFinished, type JobState } from '../../wire/job-states.ts'
import { claimKey, jobListKey, openJobsKey, recordKey, secretKeyOf, slicesKey } from '../redis/keys.ts'
import { requireReplicas } from '../redis/replicas.ts'
import { type Creation, createJob, type EarlierJob, findEarlierJob, type NewJob } from './create-job.ts'
import {
  hashOf,
  isAfter,
  type JobCallback,
  type JobError,
  type JobFailure,
  type JobProgress,
  type JobRecord,
  type ListPosition,
  type NamedJob,
  recordOf,
} from './job.ts'
import { createOpenRuns } from './open-runs.ts'
import * as runs from './run-scripts.ts'
import * as scripts from './scripts.ts'

/** Fields that a transition may write besides the state. */
export type Changes = Partial<Pick<JobRecord, 'report' | 'error' | 'generation' | 'packet' | 'expiresAt' | 'progress'>>

/** The number of an attempt that was started, or why none was. */
export type Started = number | 'finished' | 'cancelling' | 'lost'

/** What a run has made so far. */
export type Made = Pick<JobProgress, 'subRequestsDone' | 'pairs' | 'parts' | 'bytes'>

/** Why a run must stop. */
export type Stop = 'superseded' | 'cancelling'

/** The jobs of an org and its sub-directories, the jobs of all orgs (null), or the unfinished jobs of all orgs. */
export type JobList = { orgName: string | null } | 'unfinished'

const keyOf = (of: JobList) => (of === 'unfinished' ? openJobsKey : jobListKey(of.orgName))

/** What lists of jobs are filtered by. */
export interface JobBrief {
  id: string
  state: JobState
  orgName: string
  fileName: string
  callback: JobCallback['state'] | null
  error: JobError | null
}

/** `values`: the fields `scripts.briefFields`, in this order. */
function briefOf(id: string, [state, ...values]: string[]): JobBrief | null {
  if (!state) return null
  const parsed = parsedValues(values)
  const [orgName, fileName, callback, error] = parsed as [string, string, JobCallback | null, JobError | null]
  return { id, state: state as JobState, orgName, fileName, callback: callback?.state ?? null, error }
}

/** A job whose fields cannot be parsed fits no text, but must not hide others. */
function parsedValues(values: string[]): unknown[] {
  try {
    return values.map((value) => (value === '' ? null : JSON.parse(value)))
  } catch (error) {
    if (error instanceof SyntaxError) return ['', '', null, null]
    throw error
  }
}

/** Jobs created in one millisecond. Beyond this limit a list may omit jobs. One Redis creates far fewer. */
const maxPerMillisecond = 500

/** A record that cannot be read must not hide other jobs. Its job stays listed, and the janitor logs it. */
function parsedRecord(hash: Record<string, string>): JobRecord | null | undefined {
  try {
    return hash.id === undefined ? null : recordOf(hash)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * The source of truth about jobs: one Redis hash each, changed only by scripts that first compare the state (and the
 * attempt). A second hash has the attempts and the progress of each slice of a large multi until the job ends. The queue
 * merely delivers ids, at least once. Records live 7 days after their job finished.
 */
export function createJobRecords(redis: Redis) {
  const worker = randomUUID()
  const now = () => new Date().toISOString()
  const nameOf = ({ orgName, fileName }: Pick<JobRecord, 'orgName' | 'fileName'>) => `${orgName}/${fileName}`

  async function together<T>(commands: string[][]): Promise<T[]> {
    const answers = (await redis.pipeline(commands).exec()) ?? []
    return answers.map(([error, answer]) => {
      if (error) throw error
      return answer as T
    })
  }

  const endOf = (id: string) => ({ id, token: randomUUID() })
  const fieldsOf = (fields: Changes & Pick<JobRecord, 'state'>) => hashOf({ ...fields, finishedAt: now() })

  async function read(id: string): Promise<JobRecord | null> {
    const hash = await redis.hgetall(recordKey(id))
    return hash.id === undefined ? null : recordOf(hash)
  }

  return {
    /** Creates a queued job with its sealed key. Without `force` no unfinished job may hold the packet's name. */
    create: (job: NewJob): Promise<Creation> => createJob(redis, job),
    read,
    /** Several records in one round trip: null for a job that does not exist, undefined for one that cannot be parsed. */
    async readMany(ids: readonly string[]): Promise<(JobRecord | null | undefined)[]> {
      const hashes = await together<Record<string, string>>(ids.map((id) => ['hgetall', recordKey(id)]))
      return hashes.map(parsedRecord)
    },
    /** What lists are filtered by, of several jobs in one round trip; null for a job that does not exist. */
    async briefsOf(ids: readonly string[]): Promise<(JobBrief | null)[]> {
      const found = ids.length === 0 ? [] : await scripts.briefs<string[]>(redis, {}, ...ids)
      const { length } = scripts.briefFields
      return ids.map((id, at) => briefOf(id, found.slice(at * length, (at + 1) * length)))
    },
    /** The id of the unfinished job that holds a packet's name, if any: for writers that are not jobs. */
    async holder(orgName: string, fileName: string): Promise<string | null> {
      const id = await redis.get(claimKey(nameOf({ orgName, fileName })))
      const job = id === null ? null : await read(id)
      return job === null || isFinished(job) ? null : job.id
    },
    /**
     * The job created with an idempotency key within the last 24 hours; null also when it failed through a fault of the
     * service (500, 503): such a failure is never replayed. Waits until no failover can lose the job.
     */
    findByIdempotencyKey: (key: string): Promise<EarlierJob | null> => findEarlierJob(redis, key),
    /** Fails a job that no worker has started. @returns its previous state; null if there is no such job. */
    withdraw: (id: string, error: JobError): Promise<JobState | null> =>
      scripts.withdraw(redis, endOf(id), ...fieldsOf({ state: 'failed', error })),
    openRuns: createOpenRuns(redis),
    /**
     * Starts a run of the job, or of a slice of a large multi. It is a new attempt, with its progress reset, unless it is
     * a later run of a large multi itself. Only this object may report its progress. A further attempt at a slice counts
     * as one of the job, because the slice's progress restarts.
     */
    start: (id: string, slice?: number): Promise<Started> =>
      runs.start(redis, { id, slice: slice ?? '', worker, startedAt: JSON.stringify(now()) }),
    /** Records that a run ended on its own, with any outcome: it did not take down its worker. */
    endRun: (id: string, slice?: number): Promise<unknown> => runs.endRun(redis, { id, slice: slice ?? '' }),
    /** Keeps the cause of a failed run for clients. A record that has ended keeps no more. */
    noteFailure: (id: string, failure: Omit<JobFailure, 'at'>): Promise<unknown> =>
      runs.noteFailure(redis, { id, failure: JSON.stringify({ ...failure, at: now() }) }),
    /** Number of runs of the job, or of a slice, that are under way or were lost with their workers. */
    async unendedRuns(id: string, slice?: number) {
      const unended =
        slice === undefined ? redis.hget(recordKey(id), 'unended') : redis.hget(slicesKey(id), `${slice}:unended`)
      return Number(await unended)
    },
    /**
     * Updates the progress of the latest attempt only, so that it never goes backwards within an attempt.
     * @returns why the run must stop, or the whole job's pairs so far; null if it builds nothing, or commits.
     */
    progress(id: string, attempt: number, made: Made, slice?: number): Promise<Stop | number | null> {
      const { subRequestsDone, pairs, parts, bytes } = made
      return runs.progress(redis, { id, slice: slice ?? '', attempt, worker, subRequestsDone, pairs, parts, bytes })
    },
    /** Counts a run for each slice of a selection, once its nodes are listed. Safe to repeat. */
    addRuns: (id: string, count: number): Promise<unknown> => runs.addRuns(redis, { id, runs: count }),
    /** Call this when the result of one of several slices is stored: it gives back the slice's open run. */
    sliceDone: (id: string, slice: number): Promise<unknown> => runs.sliceDone(redis, { id, slice }),
    /** Changes running to committing, unless the job is being cancelled. */
    async beginCommit(job: NamedJob, progress: JobProgress, report: JobReport): Promise<boolean> {
      const values = {
        id: job.id,
        name: nameOf(job),
        progress: JSON.stringify(progress),
        report: JSON.stringify(report),
      }
      return (await scripts.beginCommit(redis, values)) === 1
    },
    /**
     * Cancels a job at once if no run is in progress; otherwise asks the run to stop. @returns its state, and whether
     * this call cancelled it; null if there is no such job. `replicated` waits until no failover can lose this.
     */
    async cancel(id: string): Promise<{ state: JobState; isCancelledNow: boolean } | null> {
      const fields = fieldsOf({ state: 'cancelled' })
      const state = await scripts.cancel<JobState | 'ended' | null>(redis, { ...endOf(id), hold: '' }, ...fields)
      if (state === 'ended') return { state: 'cancelled', isCancelledNow: true }
      return state && { state, isCancelledNow: false }
    },
    /**
     * Ensures that no run of a job starts or commits before it is cancelled.
     * @returns `running` if one is in progress, which will stop; any other state if the job cannot be cancelled.
     */
    hold: (id: string): Promise<JobState | 'held' | null> => scripts.cancel(redis, { ...endOf(id), hold: 'hold' }),
    /** Waits until no failover can lose what Redis has now. @throws NotReplicatedError */
    replicated: () => requireReplicas(redis),
    /**
     * Changes an unfinished state to a final one, once, and notifies waiters. @returns false if the job had already
     * finished or, with `unlessBegun`, if a run has begun to commit.
     */
    async finish(id: string, state: FinalState, changes: Changes, unlessBegun = false): Promise<boolean> {
      const values = { ...endOf(id), unlessBegun: unlessBegun ? 'unlessBegun' : '' }
      return (await scripts.finish(redis, values, ...fieldsOf({ ...changes, state }))) === 1
    },
    /** Jobs of a list, newest first, after the position `after`. Some may no longer exist. */
    async list(of: JobList, after: ListPosition | null, limit: number): Promise<ListPosition[]> {
      const count = limit + maxPerMillisecond
      const range = [after?.createdAt ?? '+inf', '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, count, 'WITHSCORES'] as const
      const found = await redis.zrange(keyOf(of), ...range)
      const positions = found.flatMap((id, at) => (at % 2 === 0 ? [{ id, createdAt: Number(found[at + 1]) }] : []))
      return positions.filter((position) => after === null || isAfter(position, after)).slice(0, limit)
    },
    /** Ids of unfinished jobs created before a time (epoch milliseconds, by Redis's clock). */
    openBefore: (time: number) => redis.zrange(openJobsKey, '-inf', `(${time}`, 'BYSCORE'),
    /** Removes a finished or missing job from the list of unfinished ones, and deletes its sealed key. */
    async close(id: string) {
      await redis.del(secretKeyOf(id))
      await redis.zrem(openJobsKey, id)
    },
    /** Removes ids of jobs that no longer exist from a list. The janitor does this for the list of unfinished jobs. */
    async unlist(of: JobList, ids: readonly string[]) {
      if (ids.length > 0 && of !== 'unfinished') await redis.zrem(keyOf(of), ...ids)
    },
  }
}

export type JobRecords = ReturnType<typeof createJobRecords>
