import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import * as errors from '../errors/catalogue.ts'

/** Counts a request of a client. @throws tooManyRequests (429) */
export type LimitRequests = (client: string) => Promise<void>

// Like the library's own, but a window that Redis's clock has prolonged, by being set back, ends in time.
const incrTtl = `redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local consumed = redis.call('incrby', KEYS[1], ARGV[1])
local ttl, most = redis.call('pttl', KEYS[1]), 1000 * ARGV[2]
if ttl == -1 or ttl > most then
  redis.call('pexpire', KEYS[1], most)
  ttl = most
end
return {consumed, ttl}`

/** Limits a client's requests per minute across all API processes. Without Redis each process counts alone. */
export function createRequestLimit(redis: Redis, perMinute: number): LimitRequests {
  if (perMinute === 0) return async () => {}
  const limits = { points: perMinute, duration: 60 }
  const limiter = new RateLimiterRedis({
    ...limits,
    storeClient: redis,
    keyPrefix: 'packets:requests',
    inMemoryBlockOnConsumed: perMinute + 1,
    insuranceLimiter: new RateLimiterMemory(limits),
    customIncrTtlLuaScript: incrTtl,
  })
  return async (client) => {
    try {
      await limiter.consume(client)
    } catch (rejected) {
      if (!(rejected instanceof RateLimiterRes)) throw rejected
      throw errors.tooManyRequests(perMinute, Math.ceil(rejected.msBeforeNext / 1_000))
    }
  }
}
