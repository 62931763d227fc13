import type { Job } from 'bullmq'
import type { Redis, Result } from 'ioredis'
import { type JobPayload, queueName, queuePrefix } from './queue.ts'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    lockReclaim(
      lock: string,
      job: string,
      active: string,
      stalled: string,
      ...values: string[]
    ): Result<number, Context>
  }
}

// KEYS: lock, job, active jobs, stalled jobs. ARGV: token, id, number of earlier deliveries, milliseconds.
const script = `
local holder = redis.call('GET', KEYS[1])
if holder then return holder == ARGV[1] and 1 or 0 end
if redis.call('HGET', KEYS[2], 'ats') ~= ARGV[3] then return 0 end
if not redis.call('LPOS', KEYS[3], ARGV[2]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[4])
redis.call('SREM', KEYS[4], ARGV[2])
return 1`

/**
 * Reacquires a delivery's lock if it merely expired: Redis was unavailable for longer than a lock lasts, and the queue
 * has not delivered the job again.
 * @returns whether the delivery holds the lock; if not, another run may be in progress.
 */
export async function reclaimLock(
  redis: Redis,
  { id = '', attemptsStarted }: Job<JobPayload>,
  token: string,
  lockSeconds: number,
): Promise<boolean> {
  redis.defineCommand('lockReclaim', { numberOfKeys: 4, lua: script })
  const queue = `${queuePrefix}:${queueName}`
  const keys = [`${queue}:${id}:lock`, `${queue}:${id}`, `${queue}:active`, `${queue}:stalled`] as const
  const values = [token, id, String(attemptsStarted), String(lockSeconds * 1_000)]
  return (await redis.lockReclaim(...keys, ...values)) === 1
}
