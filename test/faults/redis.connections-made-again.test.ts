import { Redis } from 'ioredis'
import { afterAll, expect, test, vi } from 'vitest'
import type { JobRecord } from '../../shared/jobs/record.ts'
import { connectProducer } from '../../shared/jobs/redis.ts'
import { prepare } from '../support/clients/e2e.ts'
import { ownRedis } from '../support/faults/own-redis.ts'
import { startTcpProxy } from '../support/faults/tcp-proxy.ts'
import { ownService } from '../support/programs/own-service.ts'

vi.setConfig({ testTimeout: 120_000 })

const [first, second] = [await ownRedis((end) => afterAll(end)), await ownRedis((end) => afterAll(end))]
const hostOf = ({ address }: typeof first) => new URL(address.url).host

/** Connections that are frozen, and in which direction. New ones work. */
const known = new Set<object>()
const lost = { requests: new Set<object>(), answers: new Set<object>() }
const ruleOf = (frozen: Set<object>) => (_chunk: Buffer, connection: object) => {
  known.add(connection)
  return frozen.has(connection) ? 'drop' : 'pass'
}
const rules = { fromClient: ruleOf(lost.requests), fromServer: ruleOf(lost.answers) }
const proxy = await startTcpProxy(hostOf(first), rules)
afterAll(() => proxy.close())
const { service, client } = await ownService({ workers: 1, env: { REDIS_URL: `redis://${proxy.address}` } })
const { org, fields } = await prepare(3, service)

let published = 0
/** Publishes until one is accepted and done. @returns how long that took, in milliseconds */
async function untilPublished(limitMs: number): Promise<number> {
  const since = performance.now()
  const order = () => ({ ...fields, originIds: ['p1'], orgName: org, fileName: `f${published++}` })
  const publish = () => client.post<JobRecord>('/1.0/publish/', order(), { Prefer: 'wait=30' })
  await expect.poll(async () => (await publish()).status, { timeout: limitMs, interval: 500 }).toBe(200)
  return performance.now() - since
}
const readiness = async () => (await fetch(`${service.apiUrl}/readyz`)).text()

test.each([
  ['in both directions', [lost.requests, lost.answers]],
  ['for requests', [lost.requests]],
  ['for answers', [lost.answers]],
])('connections that are frozen %s are made again', async (_how, directions) => {
  await untilPublished(30_000)
  for (const frozen of directions) for (const connection of known) frozen.add(connection)
  known.clear()
  // A job that a worker has just taken may have to wait for its lock to expire.
  expect(await untilPublished(40_000)).toBeLessThan(40_000)
  await expect.poll(readiness, { timeout: 10_000 }).toBe('ok\n')
})

test('a replica that was promoted behind the same address is found, although the old connections stay', async () => {
  const [a, b] = [new Redis(first.address.url), new Redis(second.address.url)]
  const address = new URL(first.address.url)
  await b.replicaof(address.hostname, address.port)
  await expect.poll(async () => b.info('replication'), { timeout: 30_000 }).toContain('master_link_status:up')
  const subscribers = async (redis: Redis) => Number((await redis.pubsub('NUMSUB', 'packets:finished'))[1])
  expect(await subscribers(a)).toBe(1)
  await b.replicaof('NO', 'ONE')
  await a.replicaof('127.0.0.1', new URL(second.address.url).port)
  proxy.switchTo(hostOf(second))
  expect(await untilPublished(15_000)).toBeLessThan(15_000)
  await expect.poll(readiness, { timeout: 10_000 }).toBe('ok\n')
  a.disconnect()
  b.disconnect()
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
