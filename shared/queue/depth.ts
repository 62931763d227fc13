import type { Redis } from 'ioredis'
import { checked } from '../observability/health.ts'
import type { Metrics } from '../observability/metrics.ts'
import { infoField, redisNow } from '../redis/connect.ts'
import { callbacksDueKey, openJobsKey, openRunsKey, queueKey, recordKey, sweptKey } from '../redis/keys.ts'
import { script } from '../redis/script.ts'
import { queueKeys } from './fair-queueing.ts'
import { isPaused, readPause } from './pause.ts'

type QueueState = keyof typeof queueKeys
const states = Object.keys(queueKeys) as QueueState[]

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

// The bound protects a shared Redis; MAX_QUEUED_JOBS is by default half of it.
const openStates = script(
  [],
  `local counts = {}
for from = 0, 19900, 100 do
  local page = redis.call('ZRANGE', '${openJobsKey}', from, from + 99)
  for _, id in ipairs(page) do
    local state = redis.call('HGET', '${recordKey('')}' .. id, 'state')
    if state then counts[state] = (counts[state] or 0) + 1 end
  end
  if #page < 100 then break end
end
return cjson.encode(counts)`,
)

/** Number of unfinished jobs in each state: as many as the lists of jobs show. A job may have many queue entries. */
export async function openJobs(redis: Redis): Promise<Record<'queued' | 'running' | 'committing', number>> {
  const { queued = 0, running = 0, committing = 0 } = JSON.parse(await openStates<string>(redis, {}))
  return { queued, running, committing }
}

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

/** Reads the queue and its Redis at one moment. @throws Error if Redis does not answer within three seconds */
export async function readQueue(redis: Redis) {
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
    depths,
    paused,
    callbacksDue,
    // When everything was last swept, ISO 8601; null: not within a day.
    lastSweep,
    // Runs of unfinished jobs.
    openRuns: Number(openRuns),
    // Age of the oldest job that no worker has begun; 0: there is none.
    oldestQueuedSeconds: oldest === '' ? 0 : Math.max(0, now - Number(oldest)) / 1_000,
    memoryBytes: Number(infoField(memory, 'used_memory')),
    // 0: no limit.
    memoryLimitBytes: Number(infoField(memory, 'maxmemory')),
    // Whether Redis may evict keys. No program starts then, but the setting can change, or another server take over.
    evicts: infoField(memory, 'maxmemory_policy') !== 'noeviction',
  }
}

const gauges = {
  queuePaused: ({ paused }) => (paused === null ? 0 : 1),
  openRuns: ({ openRuns }) => openRuns,
  oldestQueued: ({ oldestQueuedSeconds }) => oldestQueuedSeconds,
  redisMemory: ({ memoryBytes }) => memoryBytes,
  redisMemoryLimit: ({ memoryLimitBytes }) => memoryLimitBytes,
  redisEvicts: ({ evicts }) => (evicts ? 1 : 0),
  lastSweep: ({ lastSweep }) => (lastSweep === null ? 0 : Date.parse(lastSweep) / 1_000),
} satisfies Partial<Record<keyof Metrics, (queue: Awaited<ReturnType<typeof readQueue>>) => number>>

/** Returns a function that refreshes the metrics read from Redis; they are omitted while Redis does not answer. */
export function measureQueue(redis: Redis, metrics: Metrics, queuedJobsLimit: number): () => Promise<void> {
  metrics.queueLimit.set(queuedJobsLimit)
  const names = Object.keys(gauges) as (keyof typeof gauges)[]
  return async () => {
    try {
      const queue = await readQueue(redis)
      for (const state of states) metrics.queueJobs.set({ state }, queue.depths[state])
      for (const name of names) metrics[name].set(gauges[name](queue))
    } catch {
      metrics.queueJobs.reset()
      for (const name of names) metrics[name].remove()
    }
  }
}
