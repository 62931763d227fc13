import type { Job } from 'bullmq'
import type { Redis } from 'ioredis'
import { queueKey } from '../redis/keys.ts'
import { script } from '../redis/script.ts'
import type { JobPayload } from './queue.ts'

const reclaim = script(
  ['id', 'token', 'attemptsStarted', 'milliseconds'],
  `local queue = '${queueKey('')}'
local job, lock = queue .. id, queue .. id .. ':lock'
local holder = redis.call('GET', lock)
if holder then return holder == token and 1 or 0 end
if redis.call('HGET', job, 'ats') ~= attemptsStarted then return 0 end
if not redis.call('LPOS', queue .. 'active', id) then return 0 end
redis.call('SET', lock, token, 'PX', milliseconds)
redis.call('SREM', queue .. 'stalled', id)
return 1`,
)

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
  return (await reclaim(redis, { id, token, attemptsStarted, milliseconds: lockSeconds * 1_000 })) === 1
}
