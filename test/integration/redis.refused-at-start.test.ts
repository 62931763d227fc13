import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { createMetrics } from '../../shared/observability/metrics.ts'
import { measureQueue } from '../../shared/queue/depth.ts'
import { connectPatient, connectProducer } from '../../shared/redis/connect.ts'
import { outdatedVersion, requireFitRedis, unsupportedServer, versionOf } from '../../shared/redis/fit.ts'
import { documentedRule } from '../support/documents/redis-user.ts'
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

/** What programs say at start if Redis refuses this to their user. */
const refusals = {
  '-eval': 'Redis refuses EVAL: NOPERM',
  '-evalsha': 'Redis refuses EVALSHA: NOPERM',
  '-time': 'Redis refuses TIME: ',
  '-zadd': 'Redis refuses ZADD: ',
  '-xtrim': 'Redis refuses XTRIM: ',
  '-del': 'Redis refuses DEL: ',
  '-unlink': 'Redis refuses UNLINK: ',
  '-bzpopmin': 'Redis refuses BZPOPMIN: NOPERM',
  '-publish': 'Redis refuses PUBLISH: ',
  '-subscribe': 'Redis refuses SUBSCRIBE: NOPERM',
  '-@scripting': 'Redis refuses EVAL: NOPERM',
  '-info': "run the 'info' command",
  'resetkeys ~packets:queue:*': 'Redis refuses DEL: ',
  'resetkeys ~packets:job:* ~packets:probe:*': 'Redis refuses UNLINK: ',
  resetchannels: 'Redis refuses PUBLISH: ',
}

describe('a Redis user without a right that the work needs', async () => {
  let url: URL
  let admin: Redis
  beforeAll(async () => {
    const ended: (() => Promise<void>)[] = []
    url = new URL((await ownRedis((end) => void ended.push(end))).address.url)
    admin = new Redis(url.href)
    afterAll(async () => {
      admin.disconnect()
      for (const end of ended) await end()
    })
  })

  /** Keys that do not expire. */
  async function lasting(): Promise<string[]> {
    const keys = await admin.keys('*')
    const times = await Promise.all(keys.map((key) => admin.pttl(key)))
    return keys.filter((_, at) => times[at] === -1)
  }

  const user = async (rule: string) => {
    await admin.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>secret', ...rule.split(' '))
    return url.href.replace('://', '://app:secret@')
  }

  test.each(Object.entries(refusals))('%s is refused at start by the name of the command', async (rule, words) => {
    await expect(start('producer', await user(`~* &* +@all ${rule}`))).rejects.toThrow(words)
    await expect(start('patient', await user(`~* &* +@all ${rule}`))).rejects.toThrow(words)
    expect(await lasting()).toEqual([])
  })

  test('the user of operations.md is accepted by a Redis that holds nothing afterwards', async () => {
    await admin.flushall()
    await start('producer', await user(documentedRule))
    await start('patient', await user(documentedRule))
    expect(await admin.keys('*')).toEqual([])
  })

  test('a Redis that is full is accepted, because it may have room again, and so is a replica', async () => {
    await admin.config('SET', 'maxmemory', '1')
    await start('patient', url.href)
    await admin.config('SET', 'maxmemory', '0')
    await admin.replicaof('127.0.0.1', '1')
    await start('patient', url.href)
    await admin.replicaof('NO', 'ONE')
  })
})

test('Dragonfly is refused by its name', () => {
  expect(unsupportedServer('redis_version:7.4.0\r\ndragonfly_version:df-v1.34.2\r\nredis_mode:standalone\r\n')).toMatch(
    /^Dragonfly, /,
  )
  expect(unsupportedServer('redis_version:7.2.4\r\nvalkey_version:8.1.1\r\nserver_mode:standalone\r\n')).toBeNull()
})

test('a cluster of Valkey is refused, and its own version is shown', () => {
  const info = 'redis_version:7.2.4\r\nvalkey_version:9.1.2\r\nserver_mode:cluster\r\ncluster_enabled:1\r\n'
  expect(unsupportedServer(info)).toMatch(/^a cluster, /)
  expect(versionOf(info)).toBe('Valkey 9.1.2')
})

test.each([
  ['5.0.6', '5.0.6 is too old: it must be 6.2 or later'],
  ['6.0.20', '6.0.20 is too old: it must be 6.2 or later'],
  ['6.2.0', null],
  ['10.0.0', null],
])('Redis %s is refused only if it is older than 6.2', (version, words) => {
  expect(outdatedVersion(`redis_version:${version}\r\n`)).toBe(words)
})
