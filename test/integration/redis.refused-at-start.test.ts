import { afterEach, expect, inject, test } from 'vitest'
import { connectPatient, connectProducer, requireFitRedis } from '../../shared/jobs/redis.ts'
import { redisWith } from '../support/servers/redis-with.ts'

const quiet = { warn() {} }
const opened: { disconnect(): void }[] = []
afterEach(() => {
  for (const redis of opened.splice(0)) redis.disconnect()
})

/** The connections that an API and a worker open at start. */
const starts = { producer: connectProducer, patient: connectPatient }

async function start(how: keyof typeof starts, url: string) {
  const redis = starts[how](url, quiet)
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

test.each(ways)(
  'a %s connection to a database that Redis does not have is refused, not redirected to another',
  async (how) => {
    await expect(start(how, `${inject('stack').redis.url}/99`)).rejects.toThrow('DB index is out of range')
  },
)
