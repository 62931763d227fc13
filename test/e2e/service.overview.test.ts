import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { uniqueName } from '../../dev/requests.ts'
import { sweptKey, workersKey } from '../../shared/redis/keys.ts'
import { prepare } from '../support/clients/e2e.ts'
import { ownRedis } from '../support/faults/own-redis.ts'
import { ownService } from '../support/programs/own-service.ts'

interface Overview {
  dependencies: Record<string, string>
  queue: Record<string, unknown> | null
  workers: Record<string, number> | null
  jobs: unknown
  orgs: unknown
  redis: Record<string, number> | null
  lastSweep: string | null
}

const tokens = [{ name: 'one-org', orgs: ['acme'], scopes: ['ops:read'] }]
const { service, client, as } = await ownService({ tokens, env: { WORKER_CONCURRENCY: '3', MAX_QUEUED_JOBS: '7' } })
const { fields } = await prepare(1, service)
const overview = async () => (await client.get<Overview>('/1.0/ops/overview')).body
const idle = { delayed: 0, running: 0, waitingForSlices: 0, callbacksDue: 0, openRunsLimit: 7, paused: null }

test('only tokens with all orgs see the overview', async () => {
  const { status, headers, body } = await as('one-org').get<{ detail: string }>('/1.0/ops/overview')
  expect([status, body.detail]).toEqual([403, 'this endpoint is for tokens with all orgs (*)'])
  expect(headers.get('WWW-Authenticate')).toBe('Bearer error="insufficient_scope"')
})

test('the overview counts the queue, with the age of the job that has waited longest', async () => {
  expect(await overview()).toEqual({
    dependencies: { redis: 'up', 'object store': 'up', 'manager database': 'up' },
    queue: { ...idle, waiting: 0, openRuns: 0, oldestWaitSeconds: 0 },
    workers: { count: 0, slots: 0, busy: 0 },
    jobs: { queued: 0, running: 0, committing: 0 },
    orgs: [],
    lastHour: { succeeded: 0, failed: 0, cancelled: 0, pairs: 0, callbacksFailed: 0 },
    redis: { memoryBytes: expect.any(Number), memoryLimitBytes: expect.any(Number) },
    lastSweep: null,
    dashboardUrl: null,
  })
  const orgName = uniqueName('org')
  await client.post(`/1.0/publish/${orgName}`)
  for (const fileName of ['a', 'b']) {
    await client.post('/1.0/publish/', { ...fields, originIds: ['p1'], orgName, fileName }, { Prefer: 'respond-async' })
  }
  const { queue, jobs, orgs } = await overview()
  expect([jobs, orgs]).toEqual([{ queued: 2, running: 0, committing: 0 }, [{ orgName, running: 0, openRuns: 2 }]])
  expect(queue).toEqual({ ...idle, waiting: 2, openRuns: 2, oldestWaitSeconds: expect.any(Number) })
  expect(queue?.oldestWaitSeconds).toBeGreaterThan(0)
})

test('the overview counts the workers that run', async () => {
  const worker = await service.startWorker()
  await expect.poll(overview, { timeout: 30_000 }).toMatchObject({
    queue: { ...idle, waiting: 0, openRuns: 0, oldestWaitSeconds: 0 },
    workers: { count: 1, slots: 3, busy: 0 },
    jobs: { queued: 0, running: 0, committing: 0 },
    orgs: [],
    lastHour: { succeeded: 2, failed: 0, cancelled: 0, pairs: 6, callbacksFailed: 0 },
  })
  await worker.stop(40_000)
  expect((await overview()).workers).toEqual({ count: 0, slots: 0, busy: 0 })
})

test('while Redis is away the dependencies are still reported', async () => {
  const redis = await ownRedis()
  const { apiUrl } = await service.startApi({
    REDIS_URL: redis.address.url,
    CONSOLE: 'https://grafana.example/d/packets',
  })
  const asked = createClient(apiUrl, service.tokens.all as string)
  redis.freeze()
  const { status, body } = await asked.get<Overview>('/1.0/ops/overview')
  redis.wake()
  expect([status, body]).toEqual([
    200,
    {
      dependencies: { redis: 'down', 'object store': 'up', 'manager database': 'up' },
      queue: null,
      workers: null,
      jobs: null,
      orgs: null,
      lastHour: null,
      redis: null,
      lastSweep: null,
      dashboardUrl: 'https://grafana.example/d/packets',
    },
  ])
  await expect.poll(async () => (await asked.get<Overview>('/1.0/ops/overview')).body.dependencies.redis).toBe('up')
})

test('a slot with a run is busy, a worker that no longer reports does not count, the last sweep is shown', async () => {
  const redis = new Redis(service.redisUrl)
  const [seconds] = (await redis.time()) as unknown as [string]
  await redis.hset(workersKey, 'live', `${seconds}000 4 {"acme":2,"beta":1}`)
  await redis.hset(workersKey, 'dead', `${Number(seconds) - 11}000 4 {"acme":4}`)
  await redis.set(sweptKey, '2026-11-25T12:00:00.000Z')
  expect(await overview()).toMatchObject({
    workers: { count: 1, slots: 4, busy: 3 },
    orgs: [
      { orgName: 'acme', running: 2, openRuns: 0 },
      { orgName: 'beta', running: 1, openRuns: 0 },
    ],
    lastSweep: '2026-11-25T12:00:00.000Z',
  })
  await redis.del(workersKey, sweptKey)
  redis.disconnect()
})
