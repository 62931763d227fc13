import type { Redis, Result } from 'ioredis'
import { admission, giveBack } from './open-runs.ts'

/**
 * All changes of a record. Redis runs scripts atomically, so a compared value still holds at the write. A client that
 * lost the answer sends the script again, so each script is safe to repeat.
 */

export const isUnfinished = (state: string) =>
  `(${state} == 'queued' or ${state} == 'running' or ${state} == 'committing')`

// Ages are compared by Redis's clock, because the clocks of the processes may differ by minutes. Epoch milliseconds.
export const sharedNow = `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))`

/**
 * Adds the time since the last heartbeat of any of the job's runs to `ranMs`, at most 5 s: runs send heartbeats twice a
 * second. So waiting is not counted, concurrent runs are counted once, and a dead worker adds at most 5 s.
 */
export const tick = `${sharedNow}
local function tick(record)
  local since = now - (redis.call('HGET', record, 'tickedAt') or now)
  redis.call('HSET', record, 'tickedAt', now)
  redis.call('HINCRBY', record, 'ranMs', math.max(0, math.min(since, 5000)))
end
local function unended(key) return tonumber(redis.call('HGET', key, 'unended') or 0) end
-- Call this when a run begins, before it is counted. Until now the job has waited, unless another run is in progress.
local function tickFrom(record, slices)
  if unended(record) > 0 or slices and unended(slices) > 0 then tick(record)
  else redis.call('HSET', record, 'tickedAt', now) end
end`

/**
 * Whether an attempt of a worker is the latest. `slice`: prefix of a slice's fields, `''` for a job. The number alone
 * does not prove it: a Redis that was rolled back uses a number again, while the first attempt with it continues.
 */
export const isLatest = `
local function isLatest(key, slice, attempt, worker)
  local latest = redis.call('HMGET', key, slice .. 'attempt', slice .. 'worker')
  return latest[1] == attempt and latest[2] == worker
end`

// The job of an idempotency key, and its fingerprint. A job that failed through a fault of the service (500, 503), or
// whose record is gone, is not replayed: the same request creates a new job.
const knownJob = `
local function knownJob(key, records)
  local known = redis.call('GET', key)
  if not known then return nil end
  local job = redis.call('HMGET', records .. string.match(known, '^%S+'), 'state', 'error')
  if not job[1] then return nil end
  local error = job[1] == 'failed' and job[2] and cjson.decode(job[2])
  if type(error) == 'table' and (error.status == 500 or error.status == 503) then return nil end
  return known
end`

// KEYS: idempotency key. ARGV: prefix of records.
const known = `${knownJob}
return knownJob(KEYS[1], ARGV[1]) or ''`

// A claim is valid only while its holder is unfinished; otherwise it is taken over, so claims need no renewal.
// KEYS: record, claim, idempotency key, open jobs, their runs, sealed key, lists of jobs. ARGV: id, force, prefix of
// records, accepted at (epoch milliseconds), fingerprint, seconds the key is remembered, seconds a job stays in lists,
// sealed key (kept until the job ends), runs, limit of open runs, tenant, fields of the record.
const create = `${sharedNow}
${knownJob}
${admission}
if redis.call('EXISTS', KEYS[1]) == 1 then return '' end
if ARGV[5] ~= '' then
  local known = knownJob(KEYS[3], ARGV[3])
  if known then return 'duplicate ' .. known end
end
local refused = refusal(KEYS[5], ARGV[11], ARGV[10])
if refused then return refused end
local holder = redis.call('GET', KEYS[2])
if ARGV[2] == '' then
  if holder then
    local state = redis.call('HGET', ARGV[3] .. holder, 'state')
    if ${isUnfinished('state')} then return 'nameInUse ' .. holder end
  end
  redis.call('SET', KEYS[2], ARGV[1])
end
redis.call('HSET', KEYS[1], 'runs', ARGV[9], unpack(ARGV, 12))
for _, tenant in ipairs({'', ARGV[11]}) do redis.call('HINCRBY', KEYS[5], tenant, ARGV[9]) end
if ARGV[8] ~= '' then redis.call('SET', KEYS[6], ARGV[8]) end
if ARGV[5] ~= '' then redis.call('SET', KEYS[3], ARGV[1] .. ' ' .. ARGV[5], 'EX', ARGV[6]) end
redis.call('ZADD', KEYS[4], now, ARGV[1])
for list = 7, #KEYS do redis.call('ZADD', KEYS[list], ARGV[4], ARGV[1]) end
-- Otherwise a list that nobody reads would grow for ever.
for list = 7, #KEYS do
  redis.call('ZREMRANGEBYSCORE', KEYS[list], '-inf', ARGV[4] - ARGV[7] * 1000)
  redis.call('EXPIRE', KEYS[list], ARGV[7])
end
return ''`

// Runs that neither ended nor were handed back were lost with their workers. ARGV: now, limit of lost runs, progress,
// worker, 'step' for a run that does not restart the work: the step of a large multi before or after its slices.
const start = `${tick}
local state = redis.call('HGET', KEYS[1], 'state')
if not ${isUnfinished('state')} then return 0 end
if redis.call('HEXISTS', KEYS[1], 'cancelling') == 1 then return -1 end
if tonumber(redis.call('HGET', KEYS[1], 'unended') or 0) >= tonumber(ARGV[2]) then return -2 end
redis.call('HSETNX', KEYS[1], 'startedAt', ARGV[1])
tickFrom(KEYS[1])
redis.call('HINCRBY', KEYS[1], 'unended', 1)
if ARGV[5] == 'step' and redis.call('HGET', KEYS[1], 'attempt') ~= '0' then return 1 end
redis.call('HSET', KEYS[1], 'state', 'running', 'progress', ARGV[3], 'worker', ARGV[4])
return redis.call('HINCRBY', KEYS[1], 'attempt', 1)`

// A full Redis refuses a script whose first write allocates memory, so scripts that end something delete first.
const endRun = `${tick}
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HDEL', KEYS[1], '')
tick(KEYS[1])
return redis.call('HINCRBY', KEYS[1], 'unended', -1)`

// Several steps of a large multi may commit concurrently, because they commit the same parts.
// KEYS: record, stale plain files. ARGV: attempt ('' for any), worker, progress, report, name of the packet.
const beginCommit = `${sharedNow}
${isLatest}
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'running' and not (ARGV[1] == '' and state == 'committing') then return 0 end
if ARGV[1] ~= '' and not isLatest(KEYS[1], '', ARGV[1], ARGV[2]) then return 0 end
if redis.call('HEXISTS', KEYS[1], 'cancelling') == 1 then return 0 end
redis.call('HSET', KEYS[1], 'state', 'committing', 'begun', 'true', 'progress', ARGV[3], 'report', ARGV[4])
redis.call('ZADD', KEYS[2], now, ARGV[5])
return 1`

// ARGV: attempt ('' for any), worker, progress ('' for none).
const progress = `${tick}
${isLatest}
if ARGV[1] ~= '' and not isLatest(KEYS[1], '', ARGV[1], ARGV[2]) then return 'superseded' end
local state = redis.call('HGET', KEYS[1], 'state')
if state == 'running' then
  if redis.call('HEXISTS', KEYS[1], 'cancelling') == 1 then return 'cancelling' end
  tick(KEYS[1])
  if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'progress', ARGV[3]) end
elseif state ~= 'committing' then return 'superseded' end
return ''`

// Ends a job. KEYS: record, open jobs, sealed key, slices, runs of open jobs, callbacks due. ARGV: id, seconds the
// record is kept, channel, prefix of claims, rule, fields. The script looks up the name, so that a single command
// finishes a job: a hanging Redis still executes it when it resumes.
const end = `${giveBack}
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[3], KEYS[4])
-- The numbers cannot drift for ever: they start from zero whenever nothing is open.
if redis.call('ZCARD', KEYS[2]) == 0 then redis.call('DEL', KEYS[5])
else giveBack(KEYS[5], KEYS[1], redis.call('HGET', KEYS[1], 'runs')) end
redis.call('HSET', KEYS[1], unpack(ARGV, 6))
redis.call('EXPIRE', KEYS[1], ARGV[2])
local name = redis.call('HMGET', KEYS[1], 'orgName', 'fileName')
local claim = ARGV[4] .. cjson.decode(name[1]) .. '/' .. cjson.decode(name[2])
if redis.call('GET', claim) == ARGV[1] then redis.call('DEL', claim) end
if redis.call('HEXISTS', KEYS[1], 'callback') == 1 then
  redis.call('ZADD', KEYS[6], redis.call('TIME')[1] * 1000, ARGV[1])
end
redis.call('PUBLISH', ARGV[3], ARGV[1])`

// Whether this very call has ended the job before: its answer was lost, and the client sent it again. Its token is the
// last value.
const isRepeated = `redis.call('HGET', KEYS[1], 'endedBy') == ARGV[#ARGV]`

// Rule: '', or 'unlessBegun': the job does not finish if a run has begun to commit.
const finish = `
if ${isRepeated} then return 1 end
local state = redis.call('HGET', KEYS[1], 'state')
if not ${isUnfinished('state')} then return 0 end
if ARGV[5] == 'unlessBegun' and redis.call('HEXISTS', KEYS[1], 'begun') == 1 then return 0 end
${end}
return 1`

// Withdraws a job only if no worker has started it.
const withdraw = `
if ${isRepeated} then return 'queued' end
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'queued' then return state or '' end
${end}
return 'queued'`

// Cancels at once if no run of the job or of its slices is in progress; otherwise the next heartbeat of a run returns
// the request. A job cannot be cancelled after a run has begun to commit: that run may complete at any time, even if
// its worker resumes much later.
const cancel = `${tick}
if ${isRepeated} then return 'ended' end
local state = redis.call('HGET', KEYS[1], 'state')
if state == 'running' and redis.call('HEXISTS', KEYS[1], 'begun') == 1 then return 'committing' end
if state ~= 'queued' and state ~= 'running' then return state or '' end
if state == 'running' and (unended(KEYS[1]) > 0 or unended(KEYS[4]) > 0) then
  redis.call('HSET', KEYS[1], 'cancelling', 'true')
  return state
end
${end}
return 'ended'`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    jobCreate(keys: number, ...keysAndValues: string[]): Result<string, Context>
    jobStart(record: string, ...values: string[]): Result<number, Context>
    jobEndRun(record: string): Result<number, Context>
    jobCommit(record: string, stalePlainFiles: string, ...values: string[]): Result<number, Context>
    jobProgress(record: string, ...values: string[]): Result<string, Context>
    jobCancel(...keysAndValues: string[]): Result<string, Context>
    jobFinish(...keysAndValues: string[]): Result<number, Context>
    jobKnown(key: string, records: string): Result<string, Context>
    jobWithdraw(...keysAndValues: string[]): Result<string, Context>
  }
}

export function defineJobScripts(redis: Redis): void {
  redis.defineCommand('jobCreate', { lua: create })
  redis.defineCommand('jobStart', { numberOfKeys: 1, lua: start })
  redis.defineCommand('jobEndRun', { numberOfKeys: 1, lua: endRun })
  redis.defineCommand('jobCommit', { numberOfKeys: 2, lua: beginCommit })
  redis.defineCommand('jobProgress', { numberOfKeys: 1, lua: progress })
  redis.defineCommand('jobCancel', { numberOfKeys: 6, lua: cancel })
  redis.defineCommand('jobFinish', { numberOfKeys: 6, lua: finish })
  redis.defineCommand('jobWithdraw', { numberOfKeys: 6, lua: withdraw })
  redis.defineCommand('jobKnown', { numberOfKeys: 1, lua: known })
}
