import type { Redis } from 'ioredis'
import { queueKey } from '../redis/keys.ts'
import { script } from '../redis/script.ts'
import type { JobQueue } from './queue.ts'

/** The fields of the queue that BullMQ keeps. */
export const queueMetaKey = queueKey('meta')

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

/** Whether the queue is paused, by BullMQ's own field. */
export const isPaused = async (redis: Redis): Promise<boolean> => (await redis.hexists(queueMetaKey, 'paused')) === 1

/** The pause of the queue; null: it is not paused. */
export async function readPause(redis: Redis): Promise<Pause | null> {
  const [paused, shown] = await redis.hmget(queueMetaKey, 'paused', pausedBy)
  return paused === null ? null : JSON.parse(shown ?? '{"since":null,"by":null}')
}

// Who paused the queue. The script sets it together with BullMQ's own field, so one of concurrent pauses is the first.
const pausedBy = 'pausedBy'
const begin = script(
  ['pause'],
  `local meta = '${queueMetaKey}'
local earlier = redis.call('HEXISTS', meta, 'paused') == 1 and redis.call('HGET', meta, '${pausedBy}')
if earlier then return earlier end
redis.call('HSET', meta, 'paused', 1, '${pausedBy}', pause)
return ''`,
)

/** Pauses the queue. @returns the pause, which may be an earlier one, and whether this call began it */
export async function pauseQueue({ redis, queue }: Context, by: string): Promise<{ pause: Pause; isNew: boolean }> {
  const pause: Pause = { since: new Date().toISOString(), by }
  const earlier = await begin<string>(redis, { pause: JSON.stringify(pause) })
  await queue.pause()
  return earlier === '' ? { pause, isNew: true } : { pause: JSON.parse(earlier), isNew: false }
}

/** Ends the pause of the queue. @returns whether it was paused */
export async function resumeQueue({ redis, queue }: Context): Promise<boolean> {
  const wasPaused = (await redis.hdel(queueMetaKey, pausedBy)) === 1 || (await isPaused(redis))
  await queue.resume()
  return wasPaused
}
