import type { Redis, Result } from 'ioredis'
import { plainFilesFailed } from '../observability/events.ts'
import type { Logger } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { Generation } from '../packets/generation-reader.ts'
import { mark, markLatest } from '../packets/listing/markers.ts'
import { isVisible } from '../packets/manifest.ts'
import { copyCommitted, refreshPlainFiles, removePlainFiles } from '../packets/plain-files.ts'
import type { Storage } from '../packets/storage.ts'
import { redisNow } from './redis.ts'
import { stalePlainFilesKey } from './redis-keys.ts'

/**
 * The views of packets that follow a commit: the plain files, and the generation markers that listings read. A packet is marked stale
 * in Redis before it is committed, so that after a crash the janitor finds the mark. A failure never fails a publish.
 * Contract 6.
 */
export interface PacketViews {
  markStale(name: string): Promise<void>
  refresh(name: string): Promise<void>
  /**
   * Like `refresh`, with fewer requests, for a packet that was committed within the last day. `isNew`: the commit found
   * neither a generation nor a plain file of the name.
   */
  committed(name: string, committed: Generation, isNew: boolean): Promise<void>
  /** Removes the plain files of a removed packet. */
  remove(name: string): Promise<void>
  /** Names that were marked before a time (epoch milliseconds, by Redis's clock) and not refreshed since. */
  staleBefore(time: number): Promise<string[]>
}

interface PacketViewsOptions {
  /** If false, only the markers are kept up to date, and existing plain files are removed with their packets. */
  isEnabled: boolean
  log: Logger
  metrics: Metrics
}

declare module 'ioredis' {
  interface RedisCommander<Context> {
    plainFilesRefreshed(stale: string, name: string, marked: string): Result<number, Context>
  }
}

// A mark that changed belongs to a later commit, which refreshes the files itself.
const refreshedScript = `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('ZREM', KEYS[1], ARGV[1])`

export function createPacketViews(
  redis: Redis,
  { store, generations }: Storage,
  { isEnabled, log, metrics }: PacketViewsOptions,
): PacketViews {
  redis.defineCommand('plainFilesRefreshed', { numberOfKeys: 1, lua: refreshedScript })

  async function loggingFailure(step: () => Promise<unknown>): Promise<void> {
    await step().catch((error) => plainFilesFailed({ log, metrics }, error))
  }

  /** Whether a packet is gone. If its plain files stayed, they would later count as files of other programs. */
  async function isGone(name: string): Promise<boolean> {
    const highest = await generations.highest(name)
    return highest !== null && !isVisible(highest.manifest)
  }

  const whole = (change: typeof refreshPlainFiles) => async (name: string) => {
    const changed = isEnabled || (await isGone(name)) ? change(store, generations, name) : null
    await Promise.all([changed, markLatest(store, generations, name)])
  }
  const refreshAll = whole(refreshPlainFiles)

  const update = (name: string, change: (name: string) => Promise<unknown>) =>
    loggingFailure(async () => {
      const marked = await redis.zscore(stalePlainFilesKey, name).catch(() => null)
      await change(name)
      if (marked !== null) await redis.plainFilesRefreshed(stalePlainFilesKey, name, marked)
    })

  return {
    markStale: (name) => loggingFailure(async () => redis.zadd(stalePlainFilesKey, await redisNow(redis), name)),
    refresh: (name) => update(name, refreshAll),
    committed: (name, committed, isNew) =>
      update(name, async () => {
        const marked = mark(store, name, committed)
        const copied = isEnabled ? copyCommitted(store, generations, name, committed, isNew) : true
        const [isShown] = await Promise.all([copied, marked])
        if (!isShown) await refreshAll(name)
      }),
    remove: (name) => update(name, whole(removePlainFiles)),
    staleBefore: (time) => redis.zrange(stalePlainFilesKey, '-inf', `(${time}`, 'BYSCORE'),
  }
}
