import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import type { OwnRedis } from './own-redis.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** A database of a Redis that cannot be frozen or killed, so that its clients see no difference. */
export async function proxiedRedis(url: string, database: number): Promise<OwnRedis> {
  const proxy = await startTcpProxy(new URL(url).host)
  onTestFinished(() => proxy.close())
  return {
    address: { url: `redis://${proxy.address}`, pid: null },
    database,
    freeze: proxy.hold,
    wake: proxy.letGo,
    appendOnlyFiles: () => '',
    async kill() {
      proxy.refuse(true)
    },
    async start(how) {
      if (how === 'empty') {
        const direct = new Redis(`${url.replace(/\/\d*$/, '')}/${database}`)
        await direct.flushdb()
        await direct.script('FLUSH')
        direct.disconnect()
      }
      proxy.refuse(false)
    },
  }
}
