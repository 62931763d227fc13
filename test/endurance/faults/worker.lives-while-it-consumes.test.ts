import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Queue } from 'bullmq'
import { pino } from 'pino'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { uniqueName } from '../../../dev/requests.ts'
import { overrides } from '../../../dev/service.ts'
import { readConfig } from '../../../shared/config/config.ts'
import { Releases } from '../../../shared/lifecycle/releases.ts'
import { healthListener } from '../../../shared/observability/health-server.ts'
import { availableJobs } from '../../../shared/queue/depth.ts'
import { queueName, queuePrefix } from '../../../shared/redis/keys.ts'
import { consumeJobs } from '../../../worker/consume.ts'
import { createWorkerContext } from '../../../worker/context.ts'
import { workerHealth } from '../../../worker/health.ts'
import { watchLiveness } from '../../../worker/liveness.ts'
import { until } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { ownDatabase } from '../../support/servers/own-database.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

vi.setConfig({ testTimeout: 180_000 })

// Holds traffic from the first byte.
const stuck = await stuckOrigin(1)

const livezOf = async (url: string) => {
  const response = await fetch(`${url}/livez`)
  return `${response.status} ${(await response.text()).trim()}`
}

/** A worker in this process that does not consume jobs yet, with its health endpoint on a port. */
async function workerThatTakesNothing(livenessSeconds: number) {
  const { database, release } = await ownDatabase(inject('stack').redis.url)
  const env = inject('service').env
  const log = pino({ level: 'silent' })
  const releases = new Releases(log)
  const config = readConfig('worker', {
    ...env,
    REDIS_URL: env.REDIS_URL?.replace(/\/\d*$/, `/${database}`),
    S3_BUCKET: uniqueName('liveness'),
    ...overrides({ livenessSeconds }),
  })
  const context = await createWorkerContext(config, log, releases)
  const liveness = watchLiveness(context)
  const server = createServer(healthListener(workerHealth(context, liveness.isStuck))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const queue = new Queue(queueName, { connection: context.redis, prefix: queuePrefix })
  onTestFinished(async () => {
    await queue.close()
    await releases.dispose()
    server.close().closeAllConnections()
    await release()
  })
  return { context, releases, queue, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test.each([
  ['waits', {}],
  ['waits with a priority', { priority: 5 }],
  ['was delayed until now', { delay: 1 }],
])('a worker that takes no jobs while a job %s is not alive, and recovers when it takes it', async (_name, options) => {
  const { context, releases, queue, url } = await workerThatTakesNothing(1)
  expect(await livezOf(url)).toBe('200 ok')
  await queue.add('publish-packet', { id: 'no-such-job' }, options)
  await until('it is told to be stuck', async () => (await livezOf(url)).startsWith('503'))
  expect(await livezOf(url)).toBe('503 jobs wait, and this worker has taken none for 1 s')
  await consumeJobs(context, releases)
  await until('the job is taken', async () => (await availableJobs(context.redis)) === 0)
  expect(await livezOf(url)).toBe('200 ok')
})

test('a job delayed until later, or held by another worker, does not count as takeable', async () => {
  const { context, queue } = await workerThatTakesNothing(1)
  await queue.add('publish-packet', { id: 'later' }, { delay: 600_000 })
  await context.redis.lpush(`${queuePrefix}:${queueName}:active`, 'held')
  expect(await availableJobs(context.redis)).toBe(0)
})

test('a worker whose slots are all occupied is alive while jobs wait', async () => {
  const world = await openWorld({ origins: [stuck.address], times: lastingLocks })
  const version = await drawVersion(world.origin, inject('stack').neo4j, 20)
  const worker = await world.service.startWorker({ ...overrides({ livenessSeconds: 1 }), WORKER_CONCURRENCY: '1' })
  const url = `http://127.0.0.1:${/"port":(\d+),"msg":"listening"/.exec(worker.log())?.[1]}`
  const jobs = []
  for (const fileName of ['held', 'waits']) {
    jobs.push(await world.publish({ version, fileName, requests: stuck.requestsOf(version) }))
  }
  await until('one waits', async () => (await availableJobs(world.redis)) === 1)
  const seen = new Set<string>()
  for (const end = Date.now() + 5_000; Date.now() < end; ) seen.add(await livezOf(url))
  expect([...seen]).toEqual(['200 ok'])
  expect(await availableJobs(world.redis)).toBe(1)
  stuck.letGo()
  for (const { done } of jobs) expect(await done).toMatchObject({ state: 'succeeded' })
})
