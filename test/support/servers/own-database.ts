import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { redisDatabases } from '../../../dev/stack/addresses.ts'

// The shared service uses the first database; integration tests share some of the next.
const lowest = 7

/**
 * An empty Redis database that no other test uses; `release` empties it again. Its owner is recorded in
 * the first database, as a test may flush its own.
 */
export async function ownDatabase(url: string): Promise<{ database: number; release(): Promise<void> }> {
  const server = url.replace(/\/\d*$/, '')
  const owners = new Redis(`${server}/0`)
  for (let database = redisDatabases - 1; database >= lowest; database--) {
    const owner = `test:owner:${database}`
    if ((await owners.set(owner, randomUUID(), 'NX')) !== 'OK') continue
    const redis = new Redis(`${server}/${database}`)
    if ((await redis.dbsize()) === 0) {
      const release = async () => {
        await redis.flushdb()
        await owners.del(owner)
        for (const connection of [redis, owners]) connection.disconnect()
      }
      return { database, release }
    }
    const keys = await redis.keys('*')
    console.warn(`a test wrote to its Redis database after it had ended: ${keys.slice(0, 5).join(', ')}`)
    await owners.del(owner)
    redis.disconnect()
  }
  owners.disconnect()
  throw new Error('every Redis database is in use')
}
