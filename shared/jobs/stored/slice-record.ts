import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { slicesKey } from '../../redis/keys.ts'
import { script } from '../../redis/script.ts'
import type { JobProgress } from '../job.ts'
import type { Started, Stop } from '../job-records.ts'
import { giveBack } from '../open-runs.ts'
import { begin, isLatest, theJob, tick } from '../scripts.ts'
import { isUnfinished } from '../transitions.ts'

/** Progress of a slice. */
export type SliceProgress = Pick<JobProgress, 'subRequestsDone' | 'pairs' | 'parts' | 'bytes'>

// Stores a slice's progress and sums up the job's. The numbers have the order of a job's progress.
const count = `
local names = {'subRequestsDone', 'pairs', 'parts', 'bytes'}
local function count(values)
  local sums = {}
  for at, name in ipairs(names) do
    local before = tonumber(redis.call('HGET', slices, slice .. ':' .. name) or 0)
    redis.call('HSET', slices, slice .. ':' .. name, values[at])
    sums[at] = redis.call('HINCRBY', slices, name, values[at] - before)
  end
  local subRequests = cjson.decode(redis.call('HGET', record, 'progress')).subRequests
  redis.call('HSET', record, 'progress', string.format(
    '{"phase":"reading","subRequests":%.0f,"subRequestsDone":%.0f,"pairs":%.0f,"parts":%.0f,"bytes":%.0f}',
    subRequests, unpack(sums)))
  return sums[2]
end`

const start = script(
  ['id', 'slice', 'worker'],
  `${theJob}
${tick}
${begin}
${count}
if state ~= 'running' then return 'finished' end
local refused = refusedStart(slices, slice .. ':')
if refused then return refused end
-- Runs send heartbeats twice a second. Runs that are silent for so long were lost with their workers, and never end.
local isSilent = now - (redis.call('HGET', record, 'tickedAt') or now) > 5000
tickFrom(unended(record) > 0 or unended(slices) > 0)
if isSilent then redis.call('HSET', slices, 'unended', 0) end
redis.call('HINCRBY', slices, slice .. ':unended', 1)
redis.call('HINCRBY', slices, 'unended', 1)
redis.call('HSET', slices, slice .. ':worker', worker)
local attempt = redis.call('HINCRBY', slices, slice .. ':attempt', 1)
if attempt > 1 then
  redis.call('HINCRBY', record, 'attempt', 1)
  count({0, 0, 0, 0})
end
return attempt`,
)

// A full Redis refuses a script whose first write allocates memory.
const endRun = script(
  ['id', 'slice'],
  `${theJob}
${tick}
if redis.call('EXISTS', slices) == 0 then return 0 end
redis.call('HDEL', slices, '')
tick()
if unended(slices) > 0 then redis.call('HINCRBY', slices, 'unended', -1) end
return redis.call('HINCRBY', slices, slice .. ':unended', -1)`,
)

// A finished job has given back all of its runs.
const done = script(
  ['id', 'slice'],
  `${theJob}
${giveBack}
if not ${isUnfinished()} then return 0 end
if redis.call('HSETNX', slices, slice .. ':done', 'true') == 0 then return 0 end
redis.call('HINCRBY', record, 'runs', -1)
giveBack(1)
return 1`,
)

const progress = script(
  ['id', 'slice', 'attempt', 'worker', 'subRequestsDone', 'pairs', 'parts', 'bytes'],
  `${theJob}
${tick}
${count}
${isLatest}
if state ~= 'running' or not isLatest(slices, slice .. ':') then return 'superseded' end
if has('cancelling') then return 'cancelling' end
tick()
return count({tonumber(subRequestsDone), tonumber(pairs), tonumber(parts), tonumber(bytes)})`,
)

/**
 * The slices of large multis in progress: one Redis hash per job, deleted when the job finishes. Each slice has its own
 * attempts and progress, and the job's progress is the sum. Rebuilding a slice counts as another attempt of the job,
 * because the slice's progress restarts. The results of slices are in the object store.
 */
export function createSliceRecords(redis: Redis) {
  const worker = randomUUID()
  return {
    /** Starts an attempt at a slice, whose progress only this object may report. */
    start: (id: string, slice: number): Promise<Started> => start(redis, { id, slice, worker }),
    /** Records that a run ended on its own, with any outcome: it did not take down its worker. */
    endRun: (id: string, slice: number): Promise<unknown> => endRun(redis, { id, slice }),
    /** Number of runs of the slice that are under way or were lost with their workers. */
    unendedRuns: async (id: string, slice: number) => Number(await redis.hget(slicesKey(id), `${slice}:unended`)),
    /** Call this when the result of the slice is stored: it gives back the slice's open run. Safe to repeat. */
    done: (id: string, slice: number): Promise<unknown> => done(redis, { id, slice }),
    /** Updates the latest attempt's progress. @returns why the run must stop, or the whole job's pairs so far. */
    progress: (id: string, slice: number, attempt: number, made: SliceProgress): Promise<Stop | number> =>
      progress(redis, { id, slice, attempt, worker, ...made }),
  }
}

export type SliceRecords = ReturnType<typeof createSliceRecords>
