import { Redis } from 'ioredis'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connectProducer } from '../../shared/redis/connect.ts'
import { frozenConnections } from './suites/frozen-connections.ts'

vi.setConfig({ testTimeout: 120_000 })

const { first, second, proxy, hostOf, untilPublished, readiness } = await frozenConnections(['requests and answers'])

test('a replica that was promoted behind the same address is found, although the old connections stay', async () => {
  const [a, b] = [new Redis(first.address.url), new Redis(second.address.url)]
  onTestFinished(() => {
    a.disconnect()
    b.disconnect()
  })
  const address = new URL(first.address.url)
  await b.replicaof(address.hostname, address.port)
  await expect.poll(async () => b.info('replication'), { timeout: 30_000 }).toContain('master_link_status:up')
  const subscribers = async (redis: Redis) => Number((await redis.pubsub('NUMSUB', 'packets:finished'))[1])
  expect(await subscribers(a)).toBe(1)
  await b.replicaof('NO', 'ONE')
  await a.replicaof('127.0.0.1', new URL(second.address.url).port)
  proxy.switchTo(hostOf(second))
  // An API that is not ready gets no requests.
  await expect.poll(readiness, { interval: 100, timeout: 5_000 }).toBe('down: redis (refuses DEL)\n')
  await expect.poll(readiness, { timeout: 15_000 }).toBe('ok\n')
  expect(await untilPublished(15_000)).toBeLessThan(15_000)
})

test('a command sent while a lost connection is made again waits for it', async () => {
  const redis = connectProducer({ url: `redis://${proxy.address}`, sentinel: null }, { warn() {} })
  await redis.connect()
  for (let round = 0; round < 5; round++) {
    proxy.refuse(true)
    proxy.refuse(false)
    await new Promise((lost) => redis.once('close', lost))
    expect(await Promise.all([redis.ping(), redis.pipeline().ping().exec()])).toEqual(['PONG', [[null, 'PONG']]])
  }
  proxy.refuse(true)
  await expect.poll(() => redis.ping().catch(() => 'refused'), { timeout: 10_000 }).toBe('refused')
  const since = performance.now()
  await expect(redis.ping()).rejects.toThrow()
  expect(performance.now() - since).toBeLessThan(500)
  proxy.refuse(false)
  redis.disconnect()
})
