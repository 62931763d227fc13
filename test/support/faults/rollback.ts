import type { ChainableCommander, Redis } from 'ioredis'

/** Commands that take effect together with the rollback: nobody sees the state between. */
type Then = (commands: ChainableCommander) => void

/**
 * Saves all data of a Redis database. @returns a function that restores it in one transaction without closing
 * connections, like a failover to a lagging replica or a restored backup.
 */
export async function rememberRedis(redis: Redis): Promise<(then?: Then) => Promise<void>> {
  const keys = await redis.keys('*')
  const asked = redis.multi()
  for (const key of keys) asked.dumpBuffer(key).pttl(key)
  const answers = ((await asked.exec()) ?? []).map(([, value]) => value)
  return async (then = () => {}) => {
    const restoring = redis.multi().flushdb()
    for (const [index, key] of keys.entries()) {
      const [bytes, ttl] = answers.slice(2 * index) as [Buffer, number]
      restoring.restore(key, Math.max(0, ttl), bytes)
    }
    then(restoring)
    for (const [error] of (await restoring.exec()) ?? []) if (error) throw error
  }
}
