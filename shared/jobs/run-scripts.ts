import { script } from '../redis/script.ts'
import { subRequestsPerSlice } from './job.ts'
import { giveBack, takeRuns } from './open-runs.ts'
import { theJob, tick } from './scripts.ts'
import { accepts, isUnfinished } from './transitions.ts'

/**
 * Workers that a job or a slice may lose. Beyond this limit the job fails with `500 workerLost`. Another job may have
 * killed the first of these workers; after that the job ran alone.
 */
const maxUnendedRuns = 3

/**
 * The runs of a job, and of each slice of a large multi. `slice`: '' for a run of the job. It builds the only
 * slice, whose fields are in the record; the runs of several slices build these, with fields in the hash `slices`. The
 * number of an attempt alone does not prove that it is the latest: a Redis that was rolled back uses a number again,
 * while the first attempt with it continues.
 */
const theRun = `${theJob}
${tick}
local key, of = record, ''
if slice ~= '' then key, of = slices, slice .. ':' end
local function subRequests() return cjson.decode(redis.call('HGET', record, 'progress')).subRequests end
local function builds()
  return slice ~= '' or (not has('added') and subRequests() <= ${subRequestsPerSlice})
end
local function isLatest()
  local latest = redis.call('HMGET', key, of .. 'attempt', of .. 'worker')
  return latest[1] == attempt and latest[2] == worker
end`

// Stores the progress of a run: that of a job is the sum of its slices. The numbers have the order of a job's progress.
const count = `
local names = {'subRequestsDone', 'pairs', 'parts', 'bytes'}
local function count(values)
  local sums = values
  if slice ~= '' then
    sums = {}
    for at, name in ipairs(names) do
      local before = tonumber(redis.call('HGET', slices, of .. name) or 0)
      redis.call('HSET', slices, of .. name, values[at])
      sums[at] = redis.call('HINCRBY', slices, name, values[at] - before)
    end
  end
  redis.call('HSET', record, 'progress', string.format(
    '{"phase":"reading","subRequests":%.0f,"subRequestsDone":%.0f,"pairs":%.0f,"parts":%.0f,"bytes":%.0f}',
    subRequests(), unpack(sums)))
  return sums[2]
end`

// Runs send heartbeats twice a second. Runs that are silent for longer were lost with their workers, and never end. Runs
// that neither ended nor were handed back were lost, too.
export const start = script(
  ['id', 'slice', 'worker', 'startedAt'],
  `${theRun}
${count}
if not ${accepts('start')} or (slice ~= '' and state ~= 'running') then return 'finished' end
if has('cancelling') then return 'cancelling' end
if tonumber(redis.call('HGET', key, of .. 'unended') or 0) >= ${maxUnendedRuns} then return 'lost' end
local isSilent = now - (redis.call('HGET', record, 'tickedAt') or now) > 5000
-- Until now the job has waited, unless another run is in progress.
if unended(record) > 0 or unended(slices) > 0 then tick() else redis.call('HSET', record, 'tickedAt', now) end
redis.call('HINCRBY', key, of .. 'unended', 1)
if slice ~= '' then
  if isSilent then redis.call('HSET', slices, 'unended', 0) end
  redis.call('HINCRBY', slices, 'unended', 1)
else
  redis.call('HSETNX', record, 'startedAt', startedAt)
  -- A run of a large multi queues its slices or commits them: it restarts nothing.
  local attempts = redis.call('HGET', record, 'attempt')
  if not builds() and attempts ~= '0' then return tonumber(attempts) end
  redis.call('HSET', record, 'state', 'running')
end
redis.call('HSET', key, of .. 'worker', worker)
local attempt = redis.call('HINCRBY', key, of .. 'attempt', 1)
if slice ~= '' and attempt > 1 then redis.call('HINCRBY', record, 'attempt', 1) end
if slice == '' or attempt > 1 then count({0, 0, 0, 0}) end
return attempt`,
)

// A full Redis refuses a script whose first write allocates memory, so scripts that end something delete first.
export const endRun = script(
  ['id', 'slice'],
  `${theRun}
if not state or redis.call('EXISTS', key) == 0 then return 0 end
redis.call('HDEL', key, '')
tick()
if slice ~= '' and unended(slices) > 0 then redis.call('HINCRBY', slices, 'unended', -1) end
return redis.call('HINCRBY', key, of .. 'unended', -1)`,
)

/** Failed runs that a record keeps. Beyond this limit it forgets the oldest. */
const keptFailures = 10

export const noteFailure = script(
  ['id', 'failure'],
  `${theJob}
if not ${accepts('report')} then return 0 end
local failures = cjson.decode(redis.call('HGET', record, 'failures') or '[]')
table.insert(failures, cjson.decode(failure))
if #failures > ${keptFailures} then table.remove(failures, 1) end
return redis.call('HSET', record, 'failures', cjson.encode(failures))`,
)

export const progress = script(
  ['id', 'slice', 'attempt', 'worker', 'subRequestsDone', 'pairs', 'parts', 'bytes'],
  `${theRun}
${count}
if not ${accepts('report')} or (slice ~= '' and state ~= 'running') then return 'superseded' end
if builds() and not isLatest() then return 'superseded' end
if state ~= 'running' then return nil end
if has('cancelling') then return 'cancelling' end
tick()
if builds() then return count({tonumber(subRequestsDone), tonumber(pairs), tonumber(parts), tonumber(bytes)}) end
return nil`,
)

// A job whose slices are known only after its nodes were listed. From then on its own runs build nothing.
export const addRuns = script(
  ['id', 'runs'],
  `${theJob}
${takeRuns}
if not ${isUnfinished()} then return 0 end
if redis.call('HSETNX', record, 'added', runs) == 0 then return 0 end
redis.call('HINCRBY', record, 'runs', runs)
takeRuns(runs)
return 1`,
)

// A finished job has given back all of its runs.
export const sliceDone = script(
  ['id', 'slice'],
  `${theJob}
${giveBack}
if not ${isUnfinished()} then return 0 end
if redis.call('HSETNX', slices, slice .. ':done', 'true') == 0 then return 0 end
redis.call('HINCRBY', record, 'runs', -1)
giveBack(1)
return 1`,
)
