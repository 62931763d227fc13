import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { sharedNow } from '../jobs/scripts.ts'
import { isUnfinished } from '../jobs/transitions.ts'
import { redisNow } from '../redis/connect.ts'
import { openRunsKey, queueKey, recordKey, workersKey } from '../redis/keys.ts'
import { script } from '../redis/script.ts'
import { isPaused, queueMetaKey } from './pause.ts'

/** Number of runs of each tenant. */
export type RunsByTenant = Record<string, number>

const reportCountsMs = 10_000

// A tenant waits while it has more open runs than the workers hold. A large multi that waits for its slices is an open
// run that takes no slot. While the queue is paused no run is handed back, because no worker could take one.
// `wanted`: tenant of the run to start; '' for a report.
const exchange = script(
  ['worker', 'size', 'running', 'wanted'],
  `${sharedNow}
local function report(runs) redis.call('HSET', '${workersKey}', worker, now .. ' ' .. size .. ' ' .. runs) end
report(running)
redis.call('EXPIRE', '${workersKey}', 60)
local held, waits, slots, busy, tenants = {}, {}, 0, 0, 0
local function hold(tenant, runs)
  if held[tenant] == nil then
    held[tenant] = 0
    tenants = tenants + 1
  end
  held[tenant] = held[tenant] + runs
end
local reports = redis.call('HGETALL', '${workersKey}')
for at = 1, #reports, 2 do
  local time, size, runs = string.match(reports[at + 1], '^(%d+) (%d+) (.*)$')
  if math.abs(now - time) > ${reportCountsMs} then redis.call('HDEL', '${workersKey}', reports[at])
  else
    slots = slots + size
    for tenant, count in pairs(cjson.decode(runs)) do
      busy = busy + count
      hold(tenant, count)
    end
  end
end
local parents = {}
for _, id in ipairs(redis.call('ZRANGE', '${queueKey('waiting-children')}', 0, -1)) do
  local job = redis.call('HMGET', '${recordKey('')}' .. id, 'orgName', 'state')
  if job[1] and ${isUnfinished('job[2]')} then
    local tenant = string.match(cjson.decode(job[1]), '^[^/]*')
    parents[tenant] = (parents[tenant] or 0) + 1
  end
end
local open = redis.call('HGETALL', '${openRunsKey}')
for at = 1, #open, 2 do
  local tenant = open[at]
  if tenant ~= '' and open[at + 1] - (parents[tenant] or 0) > (held[tenant] or 0) then
    waits[tenant] = true
    hold(tenant, 0)
  end
end
local mine = cjson.decode(running)
if wanted ~= '' then
  hold(wanted, 0)
  if held[wanted] >= math.ceil(slots / tenants) then
    for tenant in pairs(waits) do if tenant ~= wanted then return 'wait' end end
  end
  mine[wanted] = (mine[wanted] or 0) + 1
  report(cjson.encode(mine))
  return ''
end
if busy < slots or tenants == 0 or redis.call('HEXISTS', '${queueMetaKey}', 'paused') == 1 then return '' end
local share = math.max(1, math.floor(slots / tenants))
for tenant in pairs(waits) do
  if held[tenant] < share then
    local greediest
    for other, count in pairs(held) do
      if count > share and (greediest == nil or count > held[greediest]) then greediest = other end
    end
    return (mine[greediest or ''] or 0) > 0 and greediest or ''
  end
end
return ''`,
)

/** The workers that have reported within ten seconds, their slots, and how many of these hold a run, of which tenant. */
export async function readFleet(
  redis: Redis,
): Promise<{ workers: number; slots: number; busy: number; runs: RunsByTenant }> {
  const [reports, now] = await Promise.all([redis.hvals(workersKey), redisNow(redis)])
  const sum = { workers: 0, slots: 0, busy: 0, runs: {} as RunsByTenant }
  for (const report of reports) {
    const [, time, slots, runs] = /^(\d+) (\d+) (.*)$/.exec(report) ?? []
    if (runs === undefined || Math.abs(now - Number(time)) > reportCountsMs) continue
    sum.workers++
    sum.slots += Number(slots)
    for (const [tenant, count] of Object.entries<number>(JSON.parse(runs))) {
      sum.busy += count
      sum.runs[tenant] = (sum.runs[tenant] ?? 0) + count
    }
  }
  return sum
}

/**
 * The slots of all workers, shared between tenants. Contract 7, slots. Each worker reports the runs that it holds. A
 * report counts for ten seconds, so a dead or frozen worker drops out by itself. A report from the future counts no more:
 * Redis's clock was set back since.
 *
 * A tenant's share is the number of slots divided by the number of tenants that wait or run. Rounding up decides who
 * may start a run, so that no slot stays empty; rounding down decides who must hand one back, so that runs do not keep
 * displacing each other.
 *
 * @param slots the number of slots of this worker.
 */
export function createFleet(redis: Redis, slots: number) {
  const worker = randomUUID()
  const send = (runs: RunsByTenant, wanted: string) =>
    exchange<string>(redis, { worker, size: slots, running: JSON.stringify(runs), wanted })
  return {
    slots,
    /**
     * Reports the runs of this worker. @returns the tenant that must hand back a run of this worker, because another
     * tenant waits below its share and no slot is free; null if no tenant must.
     */
    report: async (runs: RunsByTenant): Promise<string | null> => (await send(runs, '')) || null,
    /** Whether a tenant may start another run in this worker: it is below its share, or no other tenant waits. */
    mayStart: async (tenant: string, runs: RunsByTenant): Promise<boolean> => (await send(runs, tenant)) === '',
    /** Whether the queue is paused: then no run may start, and none is handed back. */
    isPaused: () => isPaused(redis),
    /** Removes the slots of this worker from the fleet. */
    leave: (): Promise<unknown> => redis.hdel(workersKey, worker),
  }
}

export type Fleet = ReturnType<typeof createFleet>
