import type { Redis } from 'ioredis'
import { checked } from '../observability/health.ts'
import type { Metrics } from '../observability/metrics.ts'
import { isPaused, type Pause, readPause } from './pause.ts'
import { queueName, queuePrefix } from './queue.ts'
import { infoField, redisNow } from './redis.ts'
import { callbacksDueKey, openJobsKey, openRunsKey, recordKey, sweptKey } from './redis-keys.ts'
import { script } from './script.ts'

/**
 * The keys of the queue's states. A job with a turn waits in `prioritized`, and in `wait` only after it lost its
 * worker. A job in `waiting-children` holds no slot. A delayed job is not available before its time.
 */
export const queueKeys = {
  wait: 'list',
  prioritized: 'sorted set',
  active: 'list',
  delayed: 'sorted set',
  'waiting-children': 'sorted set',
  paused: 'list',
} as const

export type QueueState = keyof typeof queueKeys
const states = Object.keys(queueKeys) as QueueState[]
export const queueKey = (state: QueueState): string => `${queuePrefix}:${queueName}:${state}`

// Jobs ahead of the oldest queued one are in progress, so the first pages suffice. The bound protects a shared Redis.
const oldestQueued = script(
  [],
  `for from = 0, 9900, 100 do
  local page = redis.call('ZRANGE', '${openJobsKey}', from, from + 99, 'WITHSCORES')
  for at = 1, #page, 2 do
    if redis.call('HGET', '${recordKey('')}' .. page[at], 'state') == 'queued' then return page[at + 1] end
  end
  if #page < 200 then break end
end
return ''`,
)

/** Number of queue entries in each state. */
export async function queueDepths(redis: Redis): Promise<Record<QueueState, number>> {
  const counts = await Promise.all(
    states.map((state) => (queueKeys[state] === 'list' ? redis.llen(queueKey(state)) : redis.zcard(queueKey(state)))),
  )
  return Object.fromEntries(states.map((state, at) => [state, counts[at]])) as Record<QueueState, number>
}

/**
 * Number of jobs that a worker with a free slot could take now. Active jobs belong to other workers. Delayed jobs count
 * only when due, because it is a worker's poll that promotes them. While the queue is paused no worker may take one.
 */
export async function availableJobs(redis: Redis): Promise<number> {
  // The score holds the time, with the order in its low twelve bits.
  const due = (Date.now() + 1) * 0x1000
  if (await isPaused(redis)) return 0
  const counts = await Promise.all([
    redis.llen(queueKey('wait')),
    redis.zcard(queueKey('prioritized')),
    redis.zcount(queueKey('delayed'), '-inf', `(${due}`),
  ])
  return counts.reduce((sum, count) => sum + count, 0)
}

/** The queue and its Redis at one moment. */
export interface QueueReading {
  depths: Record<QueueState, number>
  paused: Pause | null
  /** Runs of unfinished jobs. */
  openRuns: number
  /** Age of the oldest job that no worker has begun; 0: there is none. */
  oldestQueuedSeconds: number
  callbacksDue: number
  memoryBytes: number
  /** 0: no limit. */
  memoryLimitBytes: number
  /** Whether Redis may evict keys. No program starts then, but the setting can change, or another server take over. */
  evicts: boolean
  /** When everything was last swept, ISO 8601; null: not within a day. */
  lastSweep: string | null
}

/** Reads the queue. @throws Error if Redis does not answer within three seconds */
export async function readQueue(redis: Redis): Promise<QueueReading> {
  const requests = [
    queueDepths(redis),
    readPause(redis),
    oldestQueued<string>(redis, {}),
    redis.info('memory'),
    redis.get(sweptKey),
    redis.hget(openRunsKey, ''),
    redis.zcard(callbacksDueKey),
    redisNow(redis),
  ] as const
  const [depths, paused, oldest, memory, lastSweep, openRuns, callbacksDue, now] = await checked(Promise.all(requests))
  return {
    ...{ depths, paused, callbacksDue, lastSweep, openRuns: Number(openRuns) },
    oldestQueuedSeconds: oldest === '' ? 0 : Math.max(0, now - Number(oldest)) / 1_000,
    memoryBytes: Number(infoField(memory, 'used_memory')),
    memoryLimitBytes: Number(infoField(memory, 'maxmemory')),
    evicts: infoField(memory, 'maxmemory_policy') !== 'noeviction',
  }
}

/** Returns a function that refreshes the metrics read from Redis; they are omitted while Redis does not answer. */
export function measureQueue(redis: Redis, metrics: Metrics, queuedJobsLimit: number): () => Promise<void> {
  metrics.queueLimit.set(queuedJobsLimit)
  const { queuePaused, openRuns, oldestQueued, redisMemory, redisMemoryLimit, redisEvicts, lastSweep } = metrics
  return async () => {
    try {
      const queue = await readQueue(redis)
      for (const state of states) metrics.queueJobs.set({ state }, queue.depths[state])
      queuePaused.set(queue.paused === null ? 0 : 1)
      openRuns.set(queue.openRuns)
      oldestQueued.set(queue.oldestQueuedSeconds)
      redisMemory.set(queue.memoryBytes)
      redisMemoryLimit.set(queue.memoryLimitBytes)
      redisEvicts.set(queue.evicts ? 1 : 0)
      lastSweep.set(queue.lastSweep === null ? 0 : Date.parse(queue.lastSweep) / 1_000)
    } catch {
      metrics.queueJobs.reset()
      for (const gauge of [queuePaused, openRuns, oldestQueued, redisMemory, redisMemoryLimit, redisEvicts, lastSweep])
        gauge.remove()
    }
  }
}
