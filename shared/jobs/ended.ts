import type { Redis } from 'ioredis'
import type { Overview } from '../../wire/overview.ts'
import { redisNow } from '../redis/connect.ts'
import { endedKey } from '../redis/keys.ts'

const keptSeconds = 2 * 3_600
const minutes = 60

/** Counts what ends now, by Redis's clock. */
export const countEnded = `
local function countEnded(what, count)
  local key = '${endedKey('')}' .. string.format('%.0f', math.floor(redis.call('TIME')[1] / 60))
  redis.call('HINCRBY', key, what, count)
  redis.call('EXPIRE', key, ${keptSeconds})
end`

/** What ended in this minute and in the 59 before it. */
export async function readLastHour(redis: Redis): Promise<NonNullable<Overview['lastHour']>> {
  const now = Math.floor((await redisNow(redis)) / 60_000)
  const keys = Array.from({ length: minutes }, (_, ago) => ['hgetall', endedKey(now - ago)])
  const sum = { succeeded: 0, failed: 0, cancelled: 0, pairs: 0, callbacksFailed: 0 }
  for (const [error, counts] of (await redis.pipeline(keys).exec()) ?? []) {
    if (error) throw error
    for (const what of Object.keys(sum) as (keyof typeof sum)[]) {
      sum[what] += Number((counts as Record<string, string>)[what] ?? 0)
    }
  }
  return sum
}
