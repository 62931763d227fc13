import type { Redis } from 'ioredis'

/**
 * Remembers all that a Redis database holds. @returns what takes it back to that, as a failover to a replica that was
 * behind does, or a restored backup: in one step, and without an end to any connection.
 */
export async function rememberRedis(redis: Redis): Promise<() => Promise<void>> {
  const keys = await redis.keys('*')
  const asked = redis.multi()
  for (const key of keys) asked.dumpBuffer(key).pttl(key)
  const answers = ((await asked.exec()) ?? []).map(([, value]) => value)
  return async () => {
    const restoring = redis.multi().flushdb()
    for (const [index, key] of keys.entries()) {
      const [bytes, ttl] = answers.slice(2 * index) as [Buffer, number]
      restoring.restore(key, Math.max(0, ttl), bytes)
    }
    for (const [error] of (await restoring.exec()) ?? []) if (error) throw error
  }
}
