import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'

const owner = 'test:owner'

// The shared service uses the first database; integration tests share some of the next.
const lowest = 7

/** An empty Redis database that no other test uses, one of sixteen; `release` empties it again. */
export async function ownDatabase(url: string): Promise<{ database: number; release(): Promise<void> }> {
  for (let database = 15; database >= lowest; database--) {
    const redis = new Redis(`${url.replace(/\/\d*$/, '')}/${database}`)
    const isOurs = (await redis.set(owner, randomUUID(), 'NX')) === 'OK'
    if (isOurs && (await redis.dbsize()) === 1) {
      const release = async () => {
        await redis.flushdb()
        redis.disconnect()
      }
      return { database, release }
    }
    if (isOurs) await redis.del(owner)
    redis.disconnect()
  }
  throw new Error('every Redis database is in use')
}
