import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { configureRedis } from './configure-redis.ts'
import type { OwnRedis } from './own-redis.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** Imitates freezing and killing for a Redis that allows neither; its clients see no difference. */
export async function proxiedRedis(url: string): Promise<OwnRedis> {
  const proxy = await startTcpProxy(new URL(url).host)
  onTestFinished(() => proxy.close())
  const direct = new Redis(url)
  onTestFinished(() => direct.disconnect())
  let snapshot: { key: string; value: Buffer | null; milliseconds: number }[] = []
  return {
    address: { url: `redis://${proxy.address}`, pid: null },
    database: 0,
    canHaveReplicas: false,
    freeze: proxy.hold,
    wake: proxy.letGo,
    full: (isFull) => configureRedis(url, 'maxmemory', isFull ? '1' : '0'),
    evict: (policy) => configureRedis(url, 'maxmemory-policy', policy),
    appendOnlyFiles: () => '',
    async kill() {
      proxy.refuse(true)
    },
    async snapshot() {
      const keys = await direct.keys('*')
      const read = async (key: string) => ({
        key,
        value: await direct.dumpBuffer(key),
        milliseconds: Math.max(0, await direct.pttl(key)),
      })
      snapshot = await Promise.all(keys.map(read))
    },
    async start(how) {
      if (how !== 'as it was') {
        await direct.flushdb()
        await direct.script('FLUSH')
      }
      if (how === 'from the snapshot') {
        for (const { key, value, milliseconds } of snapshot) {
          if (value !== null) await direct.restore(key, milliseconds, value)
        }
      }
      proxy.refuse(false)
    },
  }
}
