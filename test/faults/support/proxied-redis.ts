import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { configureRedis } from './configure-redis.ts'
import type { OwnRedis } from './own-redis.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** A Redis that cannot be frozen or killed, so that its clients see no difference. */
export async function proxiedRedis(url: string): Promise<OwnRedis> {
  const proxy = await startTcpProxy(new URL(url).host)
  onTestFinished(() => proxy.close())
  return {
    address: { url: `redis://${proxy.address}`, pid: null },
    database: 0,
    freeze: proxy.hold,
    wake: proxy.letGo,
    full: (isFull) => configureRedis(url, 'maxmemory', isFull ? '1' : '0'),
    evict: (policy) => configureRedis(url, 'maxmemory-policy', policy),
    appendOnlyFiles: () => '',
    async kill() {
      proxy.refuse(true)
    },
    async start(how) {
      if (how === 'empty') {
        const direct = new Redis(url)
        await direct.flushdb()
        await direct.script('FLUSH')
        direct.disconnect()
      }
      proxy.refuse(false)
    },
  }
}
