import { afterEach, expect, inject, onTestFinished, test } from 'vitest'
import { measureQueue } from '../../shared/jobs/queue-depth.ts'
import { connectPatient, connectProducer, requireFitRedis, unsupportedServer } from '../../shared/jobs/redis.ts'
import { createMetrics } from '../../shared/observability/metrics.ts'
import { ownRedis } from '../support/faults/own-redis.ts'
import { parseMetrics } from '../support/programs/metrics.ts'
import { redisWith } from '../support/servers/redis-with.ts'

const quiet = { warn() {} }
const opened: { disconnect(): void }[] = []
afterEach(() => {
  for (const redis of opened.splice(0)) redis.disconnect()
})

/** The connections that an API and a worker open at start. */
const starts = { producer: connectProducer, patient: connectPatient }

async function start(how: keyof typeof starts, url: string) {
  const redis = starts[how]({ url, sentinel: null }, quiet)
  opened.push(redis)
  await redis.connect()
  return requireFitRedis(redis)
}

const ways = Object.keys(starts) as (keyof typeof starts)[]

test.each(ways)('a %s connection to a Redis that evicts nothing is accepted', async (how) => {
  await start(how, `${inject('stack').redis.url}/3`)
})

test.each(ways)('a %s connection to a Redis that may evict keys is refused', async (how) => {
  const url = await redisWith({ 'maxmemory-policy': 'volatile-lru' })
  await expect(start(how, url)).rejects.toThrow(
    'maxmemory-policy volatile-lru, which would evict jobs; set it to noeviction',
  )
})

test('a Redis that may evict keys since the start is reported by a metric', async () => {
  const redis = connectProducer({ url: await redisWith({}), sentinel: null }, quiet)
  opened.push(redis)
  await redis.connect()
  const metrics = createMetrics()
  const measure = measureQueue(redis, metrics, 1)
  const evicts = async () => {
    await measure()
    return parseMetrics(await metrics.registry.metrics()).sum('packets_redis_evicts')
  }
  expect(await evicts()).toBe(0)
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
  expect(await evicts()).toBe(1)
})

test.each(ways)(
  'a %s connection to a database that Redis does not have is refused, not redirected to another',
  async (how) => {
    await expect(start(how, `${inject('stack').redis.url}/99`)).rejects.toThrow('DB index is out of range')
  },
)

test.each(ways)(
  'a %s connection to a Redis Cluster is refused, because a cluster splits the keys of a job',
  async (how) => {
    const redis = await ownRedis(onTestFinished, ['--cluster-enabled', 'yes'])
    await expect(start(how, redis.address.url)).rejects.toThrow('Redis is a cluster, which splits the keys of a job')
  },
)

test('Dragonfly is refused by its name', () => {
  expect(unsupportedServer('redis_version:7.4.0\r\ndragonfly_version:df-v1.34.2\r\nredis_mode:standalone\r\n')).toMatch(
    /^Dragonfly, /,
  )
  expect(unsupportedServer('redis_version:7.2.4\r\nvalkey_version:8.1.1\r\nredis_mode:standalone\r\n')).toBeNull()
})
