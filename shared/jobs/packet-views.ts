import type { Redis } from 'ioredis'
import { collect } from '../lifecycle/collect.ts'
import { type EventContext, plainFilesFailed } from '../observability/events.ts'
import { redisNow } from '../redis/connect.ts'
import { stalePlainFilesKey } from '../redis/keys.ts'
import { script } from '../redis/script.ts'
import type { Generation } from '../storage/generations.ts'
import type { ListedPacket } from '../storage/listing/listed-packets.ts'
import { mark, markLatest } from '../storage/listing/markers.ts'
import { isVisible } from '../storage/manifest.ts'
import { copyCommitted, isNameBlocked, isViewOf, refreshPlainFiles } from '../storage/plain-files.ts'
import type { Storage } from '../storage/storage.ts'
import { inBatches } from '../store/batches.ts'

// A mark that changed belongs to a later commit, which refreshes the files itself.
const refreshed = script(
  ['name', 'marked'],
  `if redis.call('ZSCORE', '${stalePlainFilesKey}', name) ~= marked then return 0 end
return redis.call('ZREM', '${stalePlainFilesKey}', name)`,
)

type Listed = Pick<ListedPacket, 'generation' | 'parts'>

/** A packet whose copies were made. */
interface Copied {
  name: string
  generation: number
  /** When the copies began, by `performance.now()`. */
  at: number
}

/** How long after its copies a packet is looked after: its publish is answered in the meantime. */
const settleMs = 500

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

  async function refreshAll(name: string) {
    const changed = isEnabled || (await isGone(name)) ? refreshPlainFiles(store, generations, name) : null
    await Promise.all([changed, markLatest(store, generations, name)])
  }

  const markOf = (name: string) => redis.zscore(stalePlainFilesKey, name).catch(() => null)

  /** If the store can never keep a plain file of this name, trying again would not help. */
  const unlessBlocked = (change: Promise<unknown>) =>
    change.catch((error) => {
      if (!isNameBlocked(error)) throw error
      plainFilesFailed({ log, metrics }, error)
    })

  async function clear(name: string, marked: string | null) {
    if (marked !== null) await refreshed(redis, { name, marked })
  }

  /** Whether the views of a packet are right, if the latest generation is the listed one. */
  async function areRight(name: string, { generation, parts }: Listed): Promise<boolean> {
    const seen = parts === null ? null : await generations.seenAt(name, generation)
    if (seen === null || seen === 'gone') return false
    return isEnabled ? isViewOf(store, generations, name, seen.manifest) : isVisible(seen.manifest, store.now())
  }

  const refresh = (name: string, listed?: Listed) =>
    loggingFailure(async () => {
      if (listed && (await areRight(name, listed))) return
      const marked = await markOf(name)
      await unlessBlocked(refreshAll(name))
      await clear(name, marked)
    })

  /** The marks of these packets; null for one that a later commit has set, or that Redis does not give. */
  async function marksOf(copied: readonly Copied[]): Promise<(string | null)[]> {
    const names = copied.map(({ name }) => name)
    const asked = performance.now()
    const [now, marks] = await Promise.all([redisNow(redis), redis.zmscore(stalePlainFilesKey, names)])
    return copied.map(({ at }, index) => {
      const mark = marks[index] ?? null
      return mark !== null && Number(mark) <= now - (asked - at) ? mark : null
    })
  }

  /** Refreshes each packet that has a newer generation, because these copies may have replaced its files. */
  const settle = (copied: readonly Copied[]) =>
    loggingFailure(async () => {
      const marks = await marksOf(copied).catch(() => [])
      await inBatches([...copied.entries()], ([index, { name, generation }]) =>
        loggingFailure(async () => {
          const isLatest = isEnabled ? await generations.isLatest(name, generation) : true
          await (isLatest ? clear(name, marks[index] ?? null) : refresh(name))
        }),
      )
    })
  const unsettled = collect(settle, settleMs)

  return {
    markStale: (name: string) =>
      loggingFailure(async () => redis.zadd(stalePlainFilesKey, await redisNow(redis), name)),
    /**
     * Brings the views up to date. `listed`: the latest generation, and the parts by its marker (null: it says nothing), as
     * a sweep has just listed them. If the views are right, that takes two requests on most stores, or one if there are
     * no plain files.
     */
    refresh,
    /**
     * Like `refresh`, with fewer requests, for a packet that was just committed. `isNew`: the commit found neither a
     * generation nor a plain file of the name. The copies and the marker are there when it returns; soon after, it looks
     * for a newer generation.
     */
    committed: (name: string, committed: Generation, isNew: boolean) =>
      loggingFailure(async () => {
        const at = performance.now()
        const copied = isEnabled ? copyCommitted(store, generations, name, committed.manifest, isNew) : null
        await Promise.all([unlessBlocked(Promise.resolve(copied)), mark(store, name, committed)])
        unsettled.add({ name, generation: committed.generation, at })
      }),
    /** Settles when all packets that `committed` was called for are looked after. */
    settled: unsettled.done,
    /** Names that were marked before a time (epoch milliseconds, by Redis's clock) and not refreshed since. */
    staleBefore: (time: number) => redis.zrange(stalePlainFilesKey, '-inf', `(${time}`, 'BYSCORE'),
  }
}

export type PacketViews = ReturnType<typeof createPacketViews>
