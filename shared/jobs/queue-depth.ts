import type { Redis, Result } from 'ioredis'
import { soon } from '../observability/health.ts'
import type { Metrics } from '../observability/metrics.ts'
import { queueName, queuePrefix } from './queue.ts'
import { redisNow } from './redis.ts'
import { openJobsKey, openRunsKey, recordKey, sweptKey } from './redis-keys.ts'

/**
 * Where the queue keeps its jobs. One with a turn waits in `prioritized`, in `wait` only after it lost its worker; one that
 * waits for its slices holds no slot; a delayed one is nobody's until its time has come.
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

declare module 'ioredis' {
  interface RedisCommander<Context> {
    oldestQueuedJob(open: string, records: string): Result<string, Context>
  }
}

// Those before it are under way, so the first pages will do; the bound is for a Redis that others use too.
const oldestQueued = `
for from = 0, 9900, 100 do
  local page = redis.call('ZRANGE', KEYS[1], from, from + 99, 'WITHSCORES')
  for at = 1, #page, 2 do
    if redis.call('HGET', ARGV[1] .. page[at], 'state') == 'queued' then return page[at + 1] end
  end
  if #page < 200 then break end
end
return ''`

/** How many entries of the queue there are in each state. */
export async function queueDepths(redis: Redis): Promise<Record<QueueState, number>> {
  const counts = await Promise.all(
    states.map((state) => (queueKeys[state] === 'list' ? redis.llen(queueKey(state)) : redis.zcard(queueKey(state)))),
  )
  return Object.fromEntries(states.map((state, at) => [state, counts[at]])) as Record<QueueState, number>
}

/**
 * Jobs that a worker with room could have begun by now. Not the active ones: others have those. A delayed one only when
 * its time has come, for it is a worker looking for work that moves it on.
 */
export async function takeableJobs(redis: Redis): Promise<number> {
  // A score is the time, and in its last twelve bits the order.
  const due = (Date.now() + 1) * 0x1000
  const counts = await Promise.all([
    redis.llen(queueKey('wait')),
    redis.zcard(queueKey('prioritized')),
    redis.zcount(queueKey('delayed'), '-inf', `(${due}`),
  ])
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Brings up to date what Redis knows, for whoever asks for metrics; it is left out while Redis does not answer. */
export function measureQueue(redis: Redis, metrics: Metrics, queuedJobsLimit: number): () => Promise<void> {
  metrics.queueLimit.set(queuedJobsLimit)
  redis.defineCommand('oldestQueuedJob', { numberOfKeys: 1, lua: oldestQueued })
  const single = [
    metrics.openRuns,
    metrics.oldestQueued,
    metrics.redisMemory,
    metrics.redisMemoryLimit,
    metrics.lastSweep,
  ]
  return async () => {
    try {
      const asked = [
        queueDepths(redis),
        redis.oldestQueuedJob(openJobsKey, recordKey('')),
        redis.info('memory'),
        redis.get(sweptKey),
        redis.get(openRunsKey),
        redisNow(redis),
      ] as const
      const [depths, oldest, memory, swept, openRuns, now] = await soon(Promise.all(asked))
      const field = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(memory)?.[1] ?? 0)
      for (const state of states) metrics.queueJobs.set({ state }, depths[state])
      metrics.openRuns.set(Number(openRuns))
      metrics.oldestQueued.set(oldest === '' ? 0 : Math.max(0, now - Number(oldest)) / 1_000)
      metrics.redisMemory.set(field('used_memory'))
      metrics.redisMemoryLimit.set(field('maxmemory'))
      metrics.lastSweep.set(swept === null ? 0 : Date.parse(swept) / 1_000)
    } catch {
      metrics.queueJobs.reset()
      for (const gauge of single) gauge.remove()
    }
  }
}
