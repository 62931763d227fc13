import type { Redis, Result } from 'ioredis'
import type { JobReport } from '../publish/report.ts'

export const finalStates = ['succeeded', 'failed', 'cancelled'] as const
export type JobState = 'queued' | 'running' | 'committing' | (typeof finalStates)[number]

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
}

export type NewJob = Pick<JobRecord, 'id' | 'kind' | 'orgName' | 'fileName' | 'batchSize' | 'force'> & {
  subRequests: number
}

/** What a record's transition may be asked to write beside the state. */
export type Changes = Partial<Pick<JobRecord, 'report' | 'error' | 'generation' | 'progress'>>

/**
 * The truth about jobs: a Redis hash each, changed only by scripts that compare the state (and the attempt) first. The
 * queue merely delivers ids, at least once. Records live 7 days after their job finished.
 */
export interface JobRecords {
  /** Creates a queued job. @returns the id of the unfinished job that holds the packet's name, if one does (no `force`). */
  create(job: NewJob): Promise<{ holder: string | null }>
  read(id: string): Promise<JobRecord | null>
  /** The id of the unfinished job that holds a packet's name, if one does: for writers that are no jobs. */
  holder(orgName: string, fileName: string): Promise<string | null>
  /** Begins a new attempt. @returns its number, or null when the job is finished or gone. */
  start(id: string): Promise<number | null>
  /** running -> committing, for the attempt that is still the latest; false when it is not. */
  beginCommit(id: string, attempt: number, progress: JobProgress, report: JobReport): Promise<boolean>
  /** Any unfinished state -> a final one, once; tells those who wait. */
  finish(id: string, state: (typeof finalStates)[number], changes: Changes): Promise<boolean>
  /** Of the latest attempt only, so that progress never goes backwards within one; false when it is not that. */
  progress(id: string, attempt: number, progress: JobProgress): Promise<boolean>
}

export const recordKey = (id: string): string => `packets:job:${id}`
export const secretKeyOf = (id: string): string => `packets:secret:${id}`
/** Where the id of a job that finished is published. */
export const finishedChannel = 'packets:finished'
const claimKey = (orgName: string, fileName: string) => `packets:claim:${orgName}/${fileName}`
const keptSeconds = 7 * 24 * 3_600

// A claim is as good as its holder's record: one whose job is finished or gone is taken over, so no claim needs renewing.
// A client whose answer was lost sends a script again: a job that is there is left as it is.
const createScript = `
if redis.call('EXISTS', KEYS[1]) == 1 then return '' end
local holder = redis.call('GET', KEYS[2])
if ARGV[2] == '' then
  if holder then
    local state = redis.call('HGET', ARGV[3] .. holder, 'state')
    if state == 'queued' or state == 'running' or state == 'committing' then return holder end
  end
  redis.call('SET', KEYS[2], ARGV[1])
end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
return ''`

const startScript = `
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'queued' and state ~= 'running' and state ~= 'committing' then return 0 end
redis.call('HSETNX', KEYS[1], 'startedAt', ARGV[1])
redis.call('HSET', KEYS[1], 'state', 'running')
return redis.call('HINCRBY', KEYS[1], 'attempt', 1)`

const commitScript = `
if redis.call('HGET', KEYS[1], 'state') ~= 'running' or redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'state', 'committing', 'progress', ARGV[2], 'report', ARGV[3])
return 1`

const progressScript = `
if redis.call('HGET', KEYS[1], 'state') ~= 'running' or redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'progress', ARGV[2])
return 1`

const finishScript = `
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'queued' and state ~= 'running' and state ~= 'committing' then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('DEL', KEYS[3])
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
redis.call('PUBLISH', ARGV[3], ARGV[1])
return 1`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    jobCreate(record: string, claim: string, ...values: string[]): Result<string, Context>
    jobStart(record: string, now: string): Result<number, Context>
    jobCommit(record: string, attempt: string, progress: string, report: string): Result<number, Context>
    jobProgress(record: string, attempt: string, progress: string): Result<number, Context>
    jobFinish(record: string, claim: string, secret: string, ...values: string[]): Result<number, Context>
  }
}

export function createJobRecords(redis: Redis): JobRecords {
  redis.defineCommand('jobCreate', { numberOfKeys: 2, lua: createScript })
  redis.defineCommand('jobStart', { numberOfKeys: 1, lua: startScript })
  redis.defineCommand('jobCommit', { numberOfKeys: 1, lua: commitScript })
  redis.defineCommand('jobProgress', { numberOfKeys: 1, lua: progressScript })
  redis.defineCommand('jobFinish', { numberOfKeys: 3, lua: finishScript })
  const now = () => new Date().toISOString()

  async function read(id: string): Promise<JobRecord | null> {
    const hash = await redis.hgetall(recordKey(id))
    return hash.id === undefined ? null : recordOf(hash)
  }

  return {
    read,
    async holder(orgName, fileName) {
      const id = await redis.get(claimKey(orgName, fileName))
      const job = id === null ? null : await read(id)
      return job === null || (finalStates as readonly string[]).includes(job.state) ? null : job.id
    },
    async create({ subRequests, ...job }) {
      const progress: JobProgress = { phase: 'queued', subRequests, subRequestsDone: 0, pairs: 0, parts: 0, bytes: 0 }
      const record = { ...job, state: 'queued', createdAt: now(), attempt: 0, progress }
      const claim = claimKey(job.orgName, job.fileName)
      const force = job.force ? 'force' : ''
      const holder = await redis.jobCreate(recordKey(job.id), claim, job.id, force, recordKey(''), ...hashOf(record))
      return { holder: holder === '' ? null : holder }
    },
    async start(id) {
      const attempt = await redis.jobStart(recordKey(id), JSON.stringify(now()))
      return attempt === 0 ? null : attempt
    },
    beginCommit: async (id, attempt, progress, report) =>
      (await redis.jobCommit(recordKey(id), String(attempt), JSON.stringify(progress), JSON.stringify(report))) === 1,
    progress: async (id, attempt, progress) =>
      (await redis.jobProgress(recordKey(id), String(attempt), JSON.stringify(progress))) === 1,
    async finish(id, state, changes) {
      const [orgName, fileName] = await redis.hmget(recordKey(id), 'orgName', 'fileName')
      if (!orgName || !fileName) return false
      const claim = claimKey(JSON.parse(orgName), JSON.parse(fileName))
      const fields = hashOf({ ...changes, state, finishedAt: now() })
      const values = [id, String(keptSeconds), finishedChannel, ...fields]
      return (await redis.jobFinish(recordKey(id), claim, secretKeyOf(id), ...values)) === 1
    },
  }
}

/** Hash fields are JSON but for those that scripts compare. */
const bare = ['id', 'state', 'attempt']

const hashOf = (fields: object) =>
  Object.entries(fields).flatMap(([key, value]) => [key, bare.includes(key) ? String(value) : JSON.stringify(value)])

function recordOf(hash: Record<string, string>): JobRecord {
  const absent = { startedAt: null, finishedAt: null, report: null, error: null, generation: null }
  const fields = Object.entries(hash).map(([key, value]) => [key, bare.includes(key) ? value : JSON.parse(value)])
  return { ...absent, ...Object.fromEntries(fields), attempt: Number(hash.attempt) }
}
