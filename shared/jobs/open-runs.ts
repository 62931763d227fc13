import type { Redis } from 'ioredis'
import { openJobsKey, openRunsKey, recordKey } from '../redis/keys.ts'
import { script } from '../redis/script.ts'

/** The first segment of an org's name. An org and its sub-directories share the limits of the queue and the slots. */
export const tenantOf = (orgName: string): string => orgName.split('/')[0] as string

/** Too many runs are open: of all jobs, or of the jobs of this tenant. */
export type Refusal = 'queueFull' | 'orgQueueFull'

/**
 * Open runs are in a hash: the total under '', the number of each tenant under its name. A tenant may open further runs
 * while it has fewer than are still free. So the first tenant fills at most half of the queue, and the next finds room.
 */
export const admission = `
local function refusal(tenant, limit)
  local counts = redis.call('HMGET', '${openRunsKey}', '', tenant)
  local free = limit - (counts[1] or 0)
  if free <= 0 then return 'queueFull' end
  if tonumber(counts[2] or 0) >= free then return 'orgQueueFull' end
end`

const tenantOfJob = `string.match(cjson.decode(redis.call('HGET', record, 'orgName')), '^[^/]*')`

export const takeRuns = `
local function takeRuns(runs)
  for _, counted in ipairs({'', ${tenantOfJob}}) do redis.call('HINCRBY', '${openRunsKey}', counted, runs) end
end`

export const giveBack = `
local function giveBack(runs)
  if tonumber(runs or 0) <= 0 then return end
  local tenant = ${tenantOfJob}
  redis.call('HINCRBY', '${openRunsKey}', '', -runs)
  if redis.call('HINCRBY', '${openRunsKey}', tenant, -runs) <= 0 then redis.call('HDEL', '${openRunsKey}', tenant) end
end`

const refusal = script(['tenant', 'limit'], `${admission} return refusal(tenant, limit)`)

const countRuns = script(
  [],
  `redis.call('DEL', '${openRunsKey}')
for _, id in ipairs(redis.call('ZRANGE', '${openJobsKey}', 0, -1)) do
  local known = redis.call('HMGET', '${recordKey('')}' .. id, 'runs', 'orgName')
  if known[1] and known[2] then
    for _, tenant in ipairs({'', string.match(cjson.decode(known[2]), '^[^/]*')}) do
      redis.call('HINCRBY', '${openRunsKey}', tenant, known[1])
    end
  end
end`,
)

/** The runs of unfinished jobs: one for a publish; for a large multi, one for each slice not built yet, plus one. */
export const createOpenRuns = (redis: Redis) => ({
  /** Why no job of this org can be created now; null if one can. */
  refusal: (orgName: string, limit: number) => refusal<Refusal | null>(redis, { tenant: tenantOf(orgName), limit }),
  /** Recounts the open runs, in case records were removed by other means. */
  recount: () => countRuns(redis, {}),
})
