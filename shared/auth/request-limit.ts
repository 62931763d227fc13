import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import * as errors from '../errors/catalogue.ts'

/** Counts a request of a client. @throws tooManyRequests (429) */
export type LimitRequests = (client: string) => Promise<void>

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
