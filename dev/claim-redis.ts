import { Redis } from 'ioredis'

/**
 * Claims the Redis database that the environment names for a service of one run, which must not share a queue: another
 * worker would take its jobs, and its workers would take jobs of others. Disposing of the claim removes the keys of the
 * service, and no others.
 * @throws Error if the database is not empty
 */
export async function claimRedis(url: string): Promise<AsyncDisposable> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1 })
  redis.on('error', () => {})
  await redis.connect()
  if ((await redis.dbsize()) > 0) {
    redis.disconnect()
    const other = `${url.replace(/\/\d*$/, '').replace(/\/\/[^@/]*@/, '//')}/<number>`
    throw new Error(`REDIS_URL names a Redis database that is not empty: name another one, as in ${other}`)
  }
  return {
    async [Symbol.asyncDispose]() {
      for await (const keys of redis.scanStream({ match: 'packets:*', count: 1_000 })) {
        if (keys.length > 0) await redis.unlink(keys)
      }
      redis.disconnect()
    },
  }
}
