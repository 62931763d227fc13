import { setTimeout as delay } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, expect, test, vi } from 'vitest'
import { parseRedisAddress } from '../../../shared/config/redis-address.ts'
import { connectForChanges, connectPatient, connectProducer } from '../../../shared/redis/connect.ts'
import { until } from '../../support/faults/processes.ts'
import { sentinelGroup } from '../../support/faults/sentinel-group.ts'
import { startTcpProxy } from '../../support/faults/tcp-proxy.ts'

vi.setConfig({ testTimeout: 120_000 })

const group = await sentinelGroup((end) => afterAll(end))
const [asked, ...others] = parseRedisAddress(group.url).sentinel?.sentinels ?? []
// Clients ask this Sentinel first. The others announce the failover while it does not answer.
const slow = await startTcpProxy(`127.0.0.1:${asked?.port}`)
afterAll(() => slow.close())
const address = parseRedisAddress(group.url.replace(`127.0.0.1:${asked?.port}`, slow.address))
const log = pino({ level: 'silent' })
const connections: [string, Redis][] = [
  ['of requests', connectProducer(address, log)],
  ['of changes', connectForChanges(address, log)],
  ['of workers', connectPatient(address, log)],
  // BullMQ makes such a copy for the command that waits for jobs.
  ['that BullMQ copies', connectPatient(address, log).duplicate()],
]
for (const [, redis] of connections) redis.on('error', () => {})
afterAll(() => {
  for (const [, redis] of connections) redis.disconnect()
})

test('a connection that is lost is made again when the failover is announced while a Sentinel is asked for the primary', async () => {
  expect(others.length).toBe(2)
  for (const [, redis] of connections) await redis.connect()
  await until('all listen to the Sentinels', async () => slow.connections() >= 2 * connections.length)
  await delay(500)
  const before = await group.primary()
  slow.hold()
  before.proxy.refuse(true)
  await group.promoted(before)
  await delay(500)
  slow.letGo()
  before.proxy.refuse(false)
  for (const [name, redis] of connections) {
    const answers = async () => (await redis.ping().catch(() => '')) === 'PONG'
    await until(`a connection ${name} answers`, answers, 20_000)
  }
  await group.settled()
})
