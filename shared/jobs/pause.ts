import type { Redis } from 'ioredis'
import { type JobQueue, queueName, queuePrefix } from './queue.ts'
import { requireReplica } from './redis.ts'
import { queuePauseKey } from './redis-keys.ts'

/** The fields of the queue that BullMQ keeps. */
export const queueMetaKey = `${queuePrefix}:${queueName}:meta`

/** The queue is paused: no new run starts, and those under way end. Contract 9, service. */
export interface Pause {
  /** ISO 8601; null: not known. */
  since: string | null
  /** The `identity` of who paused it. */
  by: string | null
}

interface Context {
  redis: Redis
  queue: JobQueue
}

/** Whether the queue is paused. BullMQ's own field decides; who paused it, and when, is only shown. */
export const isPaused = async (redis: Redis): Promise<boolean> => (await redis.hexists(queueMetaKey, 'paused')) === 1

/** The pause of the queue; null: it is not paused. */
export async function readPause(redis: Redis): Promise<Pause | null> {
  const [paused, shown] = await Promise.all([isPaused(redis), redis.get(queuePauseKey)])
  return paused ? JSON.parse(shown ?? '{"since":null,"by":null}') : null
}

/** Pauses the queue. @returns the pause, which may be an earlier one, and whether this call began it */
export async function pauseQueue({ redis, queue }: Context, by: string): Promise<{ pause: Pause; isNew: boolean }> {
  const earlier = await readPause(redis)
  if (earlier !== null) return { pause: earlier, isNew: false }
  const pause = { since: new Date().toISOString(), by }
  await redis.set(queuePauseKey, JSON.stringify(pause))
  await queue.pause()
  await requireReplica(redis)
  return { pause, isNew: true }
}

/** Ends the pause of the queue. @returns whether it was paused */
export async function resumeQueue({ redis, queue }: Context): Promise<boolean> {
  const wasPaused = await isPaused(redis)
  await queue.resume()
  await redis.del(queuePauseKey)
  await requireReplica(redis)
  return wasPaused
}
