import type { Redis, Result } from 'ioredis'
import { plainFilesFailed } from '../observability/events.ts'
import type { Logger } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { markLatest } from '../storage/listing/markers.ts'
import { refreshPlainFiles, removePlainFiles } from '../storage/plain-files.ts'
import type { Storage } from '../storage/storage.ts'
import { redisNow } from './redis.ts'
import { staleViewsKey } from './redis-keys.ts'

/**
 * Keeps the plain-file view up to date, and the generation markers that listings read. A packet is marked stale in
 * Redis before it is committed, so that after a crash the janitor finds the mark. A failure never fails a publish.
 * Contract 6.
 */
export interface Views {
  mark(name: string): Promise<void>
  refresh(name: string): Promise<void>
  /** Removes a removed packet's view. */
  remove(name: string): Promise<void>
  /** Names marked before a time (epoch milliseconds, by Redis's clock) and not refreshed since. */
  staleBefore(time: number): Promise<string[]>
}

interface ViewsOptions {
  isOn: boolean
  log: Logger
  metrics: Metrics
}

declare module 'ioredis' {
  interface RedisCommander<Context> {
    viewRefreshed(views: string, name: string, marked: string): Result<number, Context>
  }
}

// A mark that changed belongs to a later commit, which refreshes the view itself.
const refreshedScript = `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('ZREM', KEYS[1], ARGV[1])`

export function createViews(
  redis: Redis,
  { store, generations }: Storage,
  { isOn, log, metrics }: ViewsOptions,
): Views {
  redis.defineCommand('viewRefreshed', { numberOfKeys: 1, lua: refreshedScript })

  async function quietly(step: () => Promise<unknown>): Promise<void> {
    await step().catch((error) => plainFilesFailed({ log, metrics }, error))
  }

  const unmarking = (name: string, bringUpToDate: typeof refreshPlainFiles) =>
    quietly(async () => {
      const marked = await redis.zscore(staleViewsKey, name).catch(() => null)
      const update = isOn ? bringUpToDate(store, generations, name) : null
      await Promise.all([update, markLatest(store, generations, name)])
      if (marked !== null) await redis.viewRefreshed(staleViewsKey, name, marked)
    })

  return {
    mark: (name) => quietly(async () => redis.zadd(staleViewsKey, await redisNow(redis), name)),
    refresh: (name) => unmarking(name, refreshPlainFiles),
    remove: (name) => unmarking(name, removePlainFiles),
    staleBefore: (time) => redis.zrange(staleViewsKey, '-inf', `(${time}`, 'BYSCORE'),
  }
}
