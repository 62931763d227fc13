import type { Redis } from 'ioredis'
import { type EventContext, plainFilesFailed } from '../observability/events.ts'
import { redisNow } from '../redis/connect.ts'
import { stalePlainFilesKey } from '../redis/keys.ts'
import { script } from '../redis/script.ts'
import type { Generation } from '../storage/generation-reader.ts'
import { mark, markLatest } from '../storage/listing/markers.ts'
import { isVisible } from '../storage/manifest.ts'
import { copyCommitted, isNameBlocked, refreshPlainFiles, removePlainFiles } from '../storage/plain-files.ts'
import type { Storage } from '../storage/storage.ts'

// A mark that changed belongs to a later commit, which refreshes the files itself.
const refreshed = script(
  ['name', 'marked'],
  `if redis.call('ZSCORE', '${stalePlainFilesKey}', name) ~= marked then return 0 end
return redis.call('ZREM', '${stalePlainFilesKey}', name)`,
)

/**
 * The views of packets that follow a commit: the plain files, and the generation markers that listings read. A packet
 * is marked stale in Redis before it is committed, so that after a crash the janitor finds the mark. A failure never
 * fails a publish. `isEnabled`: if false, only the markers are kept up to date, and existing plain files are removed
 * with their packets. Contract 6.
 */
export function createPacketViews(
  redis: Redis,
  { store, generations }: Storage,
  { isEnabled, log, metrics }: EventContext & { isEnabled: boolean },
) {
  async function loggingFailure(step: () => Promise<unknown>): Promise<void> {
    await step().catch((error) => plainFilesFailed({ log, metrics }, error))
  }

  /** Whether a packet is gone. If its plain files stayed, they would later count as files of other programs. */
  async function isGone(name: string): Promise<boolean> {
    const highest = await generations.highest(name)
    return highest !== null && !isVisible(highest.manifest, store.now())
  }

  const whole = (change: typeof refreshPlainFiles) => async (name: string) => {
    const changed = isEnabled || (await isGone(name)) ? change(store, generations, name) : null
    await Promise.all([changed, markLatest(store, generations, name)])
  }
  const refreshAll = whole(refreshPlainFiles)

  const update = (name: string, change: (name: string) => Promise<unknown>) =>
    loggingFailure(async () => {
      const marked = await redis.zscore(stalePlainFilesKey, name).catch(() => null)
      // If the store can never keep a plain file of this name, trying again would not help.
      await change(name).catch((error) => {
        if (!isNameBlocked(error)) throw error
        plainFilesFailed({ log, metrics }, error)
      })
      if (marked !== null) await refreshed(redis, { name, marked })
    })

  return {
    markStale: (name: string) =>
      loggingFailure(async () => redis.zadd(stalePlainFilesKey, await redisNow(redis), name)),
    refresh: (name: string) => update(name, refreshAll),
    /**
     * Like `refresh`, with fewer requests, for a packet that was committed within the last day. `isNew`: the commit found
     * neither a generation nor a plain file of the name.
     */
    committed: (name: string, committed: Generation, isNew: boolean) =>
      update(name, async () => {
        const marked = mark(store, name, committed)
        const copied = isEnabled ? copyCommitted(store, generations, name, committed, isNew) : true
        const [isShown] = await Promise.all([copied, marked])
        if (!isShown) await refreshAll(name)
      }),
    /** Removes the plain files of a removed packet. */
    remove: (name: string) => update(name, whole(removePlainFiles)),
    /** Names that were marked before a time (epoch milliseconds, by Redis's clock) and not refreshed since. */
    staleBefore: (time: number) => redis.zrange(stalePlainFilesKey, '-inf', `(${time}`, 'BYSCORE'),
  }
}

export type PacketViews = ReturnType<typeof createPacketViews>
