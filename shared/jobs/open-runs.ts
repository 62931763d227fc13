import type { Redis, Result } from 'ioredis'
import { openJobsKey, openRunsKey, recordKey } from './redis-keys.ts'
import { tenantOf } from './tenant.ts'

/** Too many runs are open: of all jobs, or of the jobs of this tenant. */
export type Refusal = 'queueFull' | 'orgQueueFull'

/**
 * Open runs are in a hash: the total under '', the number of each tenant under its name. A tenant may open further runs
 * while it has fewer than are still free. So the first tenant fills at most half of the queue, and the next finds room.
 */
export const admission = `
local function refusal(open, tenant, limit)
  local counts = redis.call('HMGET', open, '', tenant)
  local free = limit - (counts[1] or 0)
  if free <= 0 then return 'queueFull' end
  if tonumber(counts[2] or 0) >= free then return 'orgQueueFull' end
end`

export const giveBack = `
local function giveBack(open, record, runs)
  if tonumber(runs or 0) <= 0 then return end
  local tenant = string.match(cjson.decode(redis.call('HGET', record, 'orgName')), '^[^/]*')
  redis.call('HINCRBY', open, '', -runs)
  if redis.call('HINCRBY', open, tenant, -runs) <= 0 then redis.call('HDEL', open, tenant) end
end`

// KEYS: open runs. ARGV: tenant, limit.
const refusal = `${admission}
return refusal(KEYS[1], ARGV[1], ARGV[2]) or ''`

// KEYS: open jobs, their runs. ARGV: prefix of records.
const countRuns = `
redis.call('DEL', KEYS[2])
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local known = redis.call('HMGET', ARGV[1] .. id, 'runs', 'orgName')
  if known[1] and known[2] then
    for _, tenant in ipairs({'', string.match(cjson.decode(known[2]), '^[^/]*')}) do
      redis.call('HINCRBY', KEYS[2], tenant, known[1])
    end
  end
end`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    openRunsRefusal(runs: string, tenant: string, limit: string): Result<string, Context>
    openRunsCount(open: string, runs: string, records: string): Result<null, Context>
  }
}

/** The runs of unfinished jobs: one for a publish; for a large multi, one for each slice not built yet, plus one. */
export interface OpenRuns {
  /** Why no job of this org can be created now; null if one can. */
  refusal(orgName: string, limit: number): Promise<Refusal | null>
  /** Recounts the open runs, in case records were removed by other means. */
  recount(): Promise<void>
}

export function createOpenRuns(redis: Redis): OpenRuns {
  redis.defineCommand('openRunsRefusal', { numberOfKeys: 1, lua: refusal })
  redis.defineCommand('openRunsCount', { numberOfKeys: 2, lua: countRuns })
  return {
    async refusal(orgName, limit) {
      const refused = await redis.openRunsRefusal(openRunsKey, tenantOf(orgName), String(limit))
      return refused === '' ? null : (refused as Refusal)
    },
    async recount() {
      await redis.openRunsCount(openJobsKey, openRunsKey, recordKey(''))
    },
  }
}
