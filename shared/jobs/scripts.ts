import {
  callbacksDueKey,
  claimKey,
  finishedChannel,
  idempotencyKey,
  openJobsKey,
  openRunsKey,
  recordKey,
  secretKeyOf,
  slicesKey,
  stalePlainFilesKey,
} from '../redis/keys.ts'
import { script } from '../redis/script.ts'
import { countEnded } from './ended.ts'
import { admission, giveBack } from './open-runs.ts'
import { accepts, isUnfinished } from './transitions.ts'

/**
 * All changes of a record. Redis runs scripts atomically, so a compared value still holds at the write. A client that
 * lost the answer sends the script again, so each script is safe to repeat.
 */

const retentionSeconds = 7 * 24 * 3_600
const idempotencySeconds = 24 * 3_600
/** Longer than any record lives: days in a full queue, hours of work, then a week of retention. */
const listedSeconds = 30 * 24 * 3_600

// Ages are compared by Redis's clock, because the clocks of the processes may differ by minutes. Epoch milliseconds.
export const sharedNow = `
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))`

/** The record of a job and the progress of its slices, and the state in the record. */
export const theJob = `
local record, slices = '${recordKey('')}' .. id, '${slicesKey('')}' .. id
local state = redis.call('HGET', record, 'state')
local function has(field) return redis.call('HEXISTS', record, field) == 1 end`

/**
 * Adds the time since the last heartbeat of any of the job's runs to `ranMs`, at most 5 s: runs send heartbeats twice a
 * second. So waiting is not counted, concurrent runs are counted once, and a dead worker adds at most 5 s.
 */
export const tick = `${sharedNow}
local function tick()
  local since = now - (redis.call('HGET', record, 'tickedAt') or now)
  redis.call('HSET', record, 'tickedAt', now)
  redis.call('HINCRBY', record, 'ranMs', math.max(0, math.min(since, 5000)))
end
local function unended(key) return tonumber(redis.call('HGET', key, 'unended') or 0) end`

// The job of an idempotency key, and its fingerprint. A job that failed through a fault of the service (500, 503), or
// whose record is gone, is not replayed: the same request creates a new job.
const knownJob = `
local function knownJob()
  local known = redis.call('GET', '${idempotencyKey('')}' .. key)
  if not known then return nil end
  local job = redis.call('HMGET', '${recordKey('')}' .. string.match(known, '^%S+'), 'state', 'error')
  if not job[1] then return nil end
  local error = job[1] == 'failed' and job[2] and cjson.decode(job[2])
  if type(error) == 'table' and (error.status == 500 or error.status == 503) then return nil end
  return known
end`

export const known = script(['key'], `${knownJob} return knownJob() or ''`)

// A claim is valid only while its holder is unfinished; otherwise it is taken over, so claims need no renewal.
export const create = script(
  ['id', 'name', 'tenant', 'lists', 'force', 'key', 'fingerprint', 'sealedKey', 'createdAt', 'runs', 'limit'],
  `${theJob}
${sharedNow}
${knownJob}
${admission}
if state then return '' end
if fingerprint ~= '' then
  local known = knownJob()
  if known then return 'duplicate ' .. known end
end
local refused = refusal(tenant, limit)
if refused then return refused end
if force == '' then
  local claim = '${claimKey('')}' .. name
  local holder = redis.call('GET', claim)
  if holder then
    local state = redis.call('HGET', '${recordKey('')}' .. holder, 'state')
    if ${isUnfinished()} then return 'nameInUse ' .. holder end
  end
  redis.call('SET', claim, id)
end
redis.call('HSET', record, 'runs', runs, unpack(fields))
for _, counted in ipairs({'', tenant}) do redis.call('HINCRBY', '${openRunsKey}', counted, runs) end
if sealedKey ~= '' then redis.call('SET', '${secretKeyOf('')}' .. id, sealedKey) end
if fingerprint ~= '' then
  redis.call('SET', '${idempotencyKey('')}' .. key, id .. ' ' .. fingerprint, 'EX', ${idempotencySeconds})
end
redis.call('ZADD', '${openJobsKey}', now, id)
for _, list in ipairs(cjson.decode(lists)) do
  redis.call('ZADD', list, createdAt, id)
  -- Otherwise a list that nobody reads would grow for ever.
  redis.call('ZREMRANGEBYSCORE', list, '-inf', math.min(now, createdAt) - ${listedSeconds} * 1000)
  redis.call('EXPIRE', list, ${listedSeconds})
end
return ''`,
)

export const briefFields = ['state', 'orgName', 'fileName', 'callback', 'error']

// One command for many records: a command for each takes most of the time of a long list. The arguments are ids.
export const briefs = script(
  [],
  `local found = {}
for _, id in ipairs(ARGV) do
  local values = redis.call('HMGET', '${recordKey('')}' .. id, ${briefFields.map((name) => `'${name}'`).join(', ')})
  for at = 1, ${briefFields.length} do found[#found + 1] = values[at] or '' end
end
return found`,
)

// Any run may commit. Several may do so at once: creating the manifest decides.
export const beginCommit = script(
  ['id', 'name', 'progress', 'report'],
  `${theJob}
${sharedNow}
if not ${accepts('beginCommit')} then return 0 end
if has('cancelling') then return 0 end
redis.call('HSET', record, 'state', 'committing', 'begun', 'true', 'progress', progress, 'report', report)
redis.call('ZADD', '${stalePlainFilesKey}', now, name)
return 1`,
)

// Ends a job. The script looks up the name, so that a single command finishes a job: a hanging Redis still executes it
// when it resumes.
const end = `${giveBack}
${countEnded}
redis.call('ZREM', '${openJobsKey}', id)
redis.call('DEL', '${secretKeyOf('')}' .. id, slices)
-- The numbers cannot drift for ever: they start from zero whenever nothing is open.
if redis.call('ZCARD', '${openJobsKey}') == 0 then redis.call('DEL', '${openRunsKey}')
else giveBack(redis.call('HGET', record, 'runs')) end
redis.call('HSET', record, 'endedBy', token, unpack(fields))
redis.call('EXPIRE', record, ${retentionSeconds})
local ended = redis.call('HMGET', record, 'state', 'progress')
countEnded(ended[1], 1)
if ended[1] == 'succeeded' then countEnded('pairs', cjson.decode(ended[2]).pairs) end
local name = redis.call('HMGET', record, 'orgName', 'fileName')
local claim = '${claimKey('')}' .. cjson.decode(name[1]) .. '/' .. cjson.decode(name[2])
if redis.call('GET', claim) == id then redis.call('DEL', claim) end
if has('callback') then redis.call('ZADD', '${callbacksDueKey}', redis.call('TIME')[1] * 1000, id) end
redis.call('PUBLISH', '${finishedChannel}', id)`

// Whether this very call has ended the job before: its answer was lost, and the client sent it again.
const isRepeated = `redis.call('HGET', record, 'endedBy') == token`

// `unlessBegun`: if it is not '', the job does not finish if a run has begun to commit.
export const finish = script(
  ['id', 'token', 'unlessBegun'],
  `${theJob}
if ${isRepeated} then return 1 end
if not ${accepts('end')} then return 0 end
if unlessBegun ~= '' and has('begun') then return 0 end
${end}
return 1`,
)

// Withdraws a job only if no worker has started it.
export const withdraw = script(
  ['id', 'token'],
  `${theJob}
if ${isRepeated} then return 'queued' end
if not ${accepts('withdraw')} then return state end
${end}
return 'queued'`,
)

// Cancels at once if no run of the job or of its slices is in progress; otherwise the next heartbeat of a run returns
// the request. A job cannot be cancelled after a run has begun to commit: that run may complete at any time, even if
// its worker resumes much later. With `hold` the job is not cancelled yet, but no run of it starts any more.
export const cancel = script(
  ['id', 'token', 'hold'],
  `${theJob}
${tick}
if ${isRepeated} then return 'ended' end
if state == 'running' and has('begun') then return 'committing' end
if not ${accepts('cancel')} then return state end
local isRunning = state == 'running' and (unended(record) > 0 or unended(slices) > 0)
if isRunning or hold ~= '' then
  redis.call('HSET', record, 'cancelling', 'true')
  return isRunning and state or 'held'
end
${end}
return 'ended'`,
)
