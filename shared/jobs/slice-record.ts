import { randomUUID } from 'node:crypto'
import type { Redis, Result } from 'ioredis'
import { giveBack } from './open-runs.ts'
import type { JobProgress } from './record.ts'
import { openRunsKey, recordKey, slicesKey } from './redis-keys.ts'
import { isLatest, isUnfinished, tick } from './scripts.ts'

/** Progress of a slice. */
export type SliceProgress = Pick<JobProgress, 'subRequestsDone' | 'pairs' | 'parts' | 'bytes'>

/**
 * The slices of large multis in progress: one Redis hash per job, deleted when the job finishes. Each slice has its own
 * attempts and progress, and the job's progress is the sum. Rebuilding a slice counts as another attempt of the job,
 * because the slice's progress restarts. The results of slices are in the object store.
 */
export interface SliceRecords {
  /**
   * Starts an attempt at a slice, whose progress only this object may report. @returns its number, or why none was
   * started.
   */
  start(id: string, slice: number): Promise<number | 'finished' | 'cancelling' | 'lost'>
  /** Records that a run ended on its own, with any outcome: it did not take down its worker. */
  endRun(id: string, slice: number): Promise<void>
  /** Number of runs of the slice that are under way or were lost with their workers. */
  unendedRuns(id: string, slice: number): Promise<number>
  /** Call this when the result of the slice is stored: it gives back the slice's open run. Safe to repeat. */
  done(id: string, slice: number): Promise<void>
  /** Updates the latest attempt's progress. @returns why the run must stop, or the whole job's pairs so far. */
  progress(
    id: string,
    slice: number,
    attempt: number,
    progress: SliceProgress,
  ): Promise<'superseded' | 'cancelling' | number>
}

const counted = ['subRequestsDone', 'pairs', 'parts', 'bytes'] as const

// Stores a slice's progress and sums up the job's. `values` are numbers in the order of `counted`.
const count = `
local names = {${counted.map((name) => `'${name}'`).join(', ')}}
local function count(slice, values)
  local sums = {}
  for at, name in ipairs(names) do
    local before = tonumber(redis.call('HGET', KEYS[2], slice .. ':' .. name) or 0)
    redis.call('HSET', KEYS[2], slice .. ':' .. name, values[at])
    sums[at] = redis.call('HINCRBY', KEYS[2], name, values[at] - before)
  end
  local subRequests = cjson.decode(redis.call('HGET', KEYS[1], 'progress')).subRequests
  redis.call('HSET', KEYS[1], 'progress', string.format(
    '{"phase":"reading","subRequests":%.0f,"subRequestsDone":%.0f,"pairs":%.0f,"parts":%.0f,"bytes":%.0f}',
    subRequests, unpack(sums)))
  return sums[2]
end`

// KEYS: record, slices. ARGV: slice, limit of runs that never ended, worker.
const start = `${tick}
${count}
if redis.call('HGET', KEYS[1], 'state') ~= 'running' then return 0 end
if redis.call('HEXISTS', KEYS[1], 'cancelling') == 1 then return -1 end
if tonumber(redis.call('HGET', KEYS[2], ARGV[1] .. ':unended') or 0) >= tonumber(ARGV[2]) then return -2 end
-- Runs send heartbeats twice a second. Runs that are silent for so long were lost with their workers, and never end.
local isSilent = now - (redis.call('HGET', KEYS[1], 'tickedAt') or now) > 5000
tickFrom(KEYS[1], KEYS[2])
if isSilent then redis.call('HSET', KEYS[2], 'unended', 0) end
redis.call('HINCRBY', KEYS[2], ARGV[1] .. ':unended', 1)
redis.call('HINCRBY', KEYS[2], 'unended', 1)
redis.call('HSET', KEYS[2], ARGV[1] .. ':worker', ARGV[3])
local attempt = redis.call('HINCRBY', KEYS[2], ARGV[1] .. ':attempt', 1)
if attempt > 1 then
  redis.call('HINCRBY', KEYS[1], 'attempt', 1)
  count(ARGV[1], {0, 0, 0, 0})
end
return attempt`

// A full Redis refuses a script whose first write allocates memory. KEYS: record, slices.
const endRun = `${tick}
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
redis.call('HDEL', KEYS[2], '')
tick(KEYS[1])
if unended(KEYS[2]) > 0 then redis.call('HINCRBY', KEYS[2], 'unended', -1) end
return redis.call('HINCRBY', KEYS[2], ARGV[1] .. ':unended', -1)`

// KEYS: record, slices, open runs. A finished job has given back all of its runs.
const done = `${giveBack}
local state = redis.call('HGET', KEYS[1], 'state')
if not ${isUnfinished('state')} then return 0 end
if redis.call('HSETNX', KEYS[2], ARGV[1] .. ':done', 'true') == 0 then return 0 end
redis.call('HINCRBY', KEYS[1], 'runs', -1)
giveBack(KEYS[3], KEYS[1], 1)
return 1`

// KEYS: record, slices. ARGV: slice, attempt, worker, the values of `counted`.
const progress = `${tick}
${count}
${isLatest}
if redis.call('HGET', KEYS[1], 'state') ~= 'running' then return -1 end
if not isLatest(KEYS[2], ARGV[1] .. ':', ARGV[2], ARGV[3]) then return -1 end
if redis.call('HEXISTS', KEYS[1], 'cancelling') == 1 then return -2 end
tick(KEYS[1])
return count(ARGV[1], {tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])})`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    sliceStart(record: string, slices: string, ...values: string[]): Result<number, Context>
    sliceEndRun(record: string, slices: string, slice: string): Result<number, Context>
    sliceDone(record: string, slices: string, open: string, slice: string): Result<number, Context>
    sliceProgress(record: string, slices: string, ...values: string[]): Result<number, Context>
  }
}

/** Workers that a slice may lose. Beyond it its job fails with `500 workerLost`. */
const maxUnendedRuns = 3

export function createSliceRecords(redis: Redis): SliceRecords {
  const worker = randomUUID()
  redis.defineCommand('sliceStart', { numberOfKeys: 2, lua: start })
  redis.defineCommand('sliceEndRun', { numberOfKeys: 2, lua: endRun })
  redis.defineCommand('sliceDone', { numberOfKeys: 3, lua: done })
  redis.defineCommand('sliceProgress', { numberOfKeys: 2, lua: progress })
  return {
    async start(id, slice) {
      const values = [slice, maxUnendedRuns, worker].map(String)
      const attempt = await redis.sliceStart(recordKey(id), slicesKey(id), ...values)
      if (attempt > 0) return attempt
      return attempt === 0 ? 'finished' : attempt === -1 ? 'cancelling' : 'lost'
    },
    async endRun(id, slice) {
      await redis.sliceEndRun(recordKey(id), slicesKey(id), String(slice))
    },
    unendedRuns: async (id, slice) => Number(await redis.hget(slicesKey(id), `${slice}:unended`)),
    async done(id, slice) {
      await redis.sliceDone(recordKey(id), slicesKey(id), openRunsKey, String(slice))
    },
    async progress(id, slice, attempt, made) {
      const values = [slice, attempt, worker, ...counted.map((name) => made[name])].map(String)
      const pairs = await redis.sliceProgress(recordKey(id), slicesKey(id), ...values)
      if (pairs >= 0) return pairs
      return pairs === -1 ? 'superseded' : 'cancelling'
    },
  }
}
