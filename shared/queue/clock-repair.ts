import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { sharedNow } from '../jobs/scripts.ts'
import { isRedisAway, redisNow } from '../redis/connect.ts'
import { callbacksDueKey, openJobsKey, stalePlainFilesKey, sweptKey } from '../redis/keys.ts'
import { script } from '../redis/script.ts'

/** A time so far ahead of Redis's clock comes from before that clock was set back, not from another Redis. */
const aheadMs = 60_000

/** By so much other workers may keep their locks for longer, during a rolling update. */
const otherLocksMs = 300_000

/** How long a delivery may be overdue, by Redis's clock, before it is promoted. */
const overdueMs = 5_000

/** Deliveries promoted in one round of the janitor. Beyond this limit the next rounds promote them. */
const mostPromoted = 1_000

// Redis keeps an expiry as a moment, so a key outlives its time by as much as the clock is set back.
const cap = `
local function cap(key, milliseconds)
  if redis.call('PTTL', key) > tonumber(milliseconds) then redis.call('PEXPIRE', key, milliseconds) end
end`

/** Shortens the expiry of a key to a time that it never exceeds unless Redis's clock was set back. */
export const capExpiry = script(['key', 'milliseconds'], `${cap} return cap(key, milliseconds)`)

const repair = script(
  ['lockMs', 'stalledMs', 'sweptMs'],
  `${sharedNow}
${cap}
for _, queue in ipairs(fields) do
  cap(queue .. 'stalled-check', stalledMs)
  for _, id in ipairs(redis.call('LRANGE', queue .. 'active', 0, -1)) do
    local lock = queue .. id .. ':lock'
    if redis.call('PTTL', lock) > tonumber(lockMs) + ${otherLocksMs} then cap(lock, lockMs) end
  end
end
cap('${sweptKey}', sweptMs)
for _, key in ipairs({'${openJobsKey}', '${stalePlainFilesKey}', '${callbacksDueKey}'}) do
  local ahead = redis.call('ZRANGE', key, string.format('(%.0f', now + ${aheadMs}), '+inf', 'BYSCORE')
  for _, member in ipairs(ahead) do redis.call('ZADD', key, now, member) end
end`,
)

interface Times {
  /** Duration of a delivery's lock. */
  lockMs: number
  /** Time between two searches for deliveries without a lock. */
  stalledMs: number
  /** Time between two sweeps. */
  sweptMs: number
}

/**
 * Repairs what stops work for as long as Redis's clock was ahead before it was set back: the locks of dead workers, the
 * mark that paces BullMQ's search for them, the mark of the last sweep, and times from which the janitor counts.
 */
export const repairAfterClockSetBack = (redis: Redis, queues: readonly Queue[], times: Times): Promise<unknown> =>
  repair(redis, { ...times }, ...queues.map((queue) => queue.toKey('')))

/**
 * Promotes delayed deliveries that are overdue, or would wait for more than `longestMs`, by Redis's clock. BullMQ
 * computes a delay, and ends it, by the clocks of two workers, either of which may be wrong.
 * @returns the ids that would have waited for too long
 */
export async function promoteMistimed(redis: Redis, queue: Queue, longestMs: number): Promise<string[]> {
  const now = await redisNow(redis)
  // The score holds the time, with the order in its low twelve bits.
  const scoreOf = (time: number) => `(${time * 0x1000}`
  const between = (from: string, to: string) =>
    redis.zrange(queue.toKey('delayed'), from, to, 'BYSCORE', 'LIMIT', 0, mostPromoted)
  const overdue = await between('-inf', scoreOf(now - overdueMs))
  const tooLong = await between(scoreOf(now + longestMs + overdueMs), '+inf')
  for (const id of [...overdue, ...tooLong]) {
    const delivery = await queue.getJob(id)
    // A worker may have promoted it meanwhile.
    await delivery?.promote().catch((error) => {
      if (isRedisAway(error)) throw error
    })
  }
  return tooLong
}
