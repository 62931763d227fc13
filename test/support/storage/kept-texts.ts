import { text } from 'node:stream/consumers'
import { Redis } from 'ioredis'
import type { ObjectStore } from '../../../shared/store/object-store.ts'

type ReadKey = (redis: Redis, key: string) => Promise<unknown>

const readers: Record<string, ReadKey> = {
  string: async (redis, key) => (await redis.getBuffer(key))?.toString('latin1'),
  hash: (redis, key) => redis.hgetall(key),
  list: (redis, key) => redis.lrange(key, 0, -1),
  set: (redis, key) => redis.smembers(key),
  zset: (redis, key) => redis.zrange(key, '0', '-1'),
  stream: (redis, key) => redis.xrange(key, '-', '+'),
  none: async () => '',
}

/** Every key and value of a Redis database, of any type, as plain text; DUMP would compress them. */
export async function everythingInRedis(url: string): Promise<string> {
  const redis = new Redis(url)
  const texts: string[] = []
  for await (const keys of redis.scanStream({ count: 1_000 })) {
    for (const key of keys as string[]) {
      const type = await redis.type(key)
      const read = readers[type]
      if (read === undefined) throw new Error(`the key ${key} is of an unknown type, ${type}`)
      texts.push(key, String(JSON.stringify(await read(redis, key))))
    }
  }
  redis.disconnect()
  return texts.join('\n')
}

/** Every key below a prefix, hidden ones included, with its object. */
export async function everythingInTheStore(store: ObjectStore, prefix = ''): Promise<string> {
  const texts: string[] = []
  for await (const { key } of store.list(prefix)) {
    // An object may disappear during the listing: a finishing job deletes its request.
    const object = await store.stream(key)
    texts.push(key, object === null ? '' : await text(object))
  }
  return texts.join('\n')
}
