import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { createClient } from '../../dev/client.ts'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { database } from '../../dev/requests.ts'
import { startService } from '../../dev/service.ts'
import { startStack } from '../../dev/stack/stack.ts'
import { drawRing } from '../support/graphs/social-graph.ts'
import { fillQueue, measureFullQueue } from '../support/jobs/full-queue.ts'

/**
 * Measures the cost of 100,000 queued jobs and what they slow down; each time is the slowest of a few. A worker then
 * starts and runs the three jobs at the head. `node_modules/.bin/node test/bench/full-queue.ts --jobs N`
 */
const orgName = 'full-queue'
const { values } = parseArgs({ options: { jobs: { type: 'string', default: '100000' } } })
const count = Number(values.jobs)
const directory = mkdtempSync(join(tmpdir(), 'full-queue-'))
await using stack = await startStack({}, { usesGiven: false })
const driver = openDriver(stack.neo4j)
await drawRing(driver, 'FullQueue', 3)
await driver.close()
const options = { directory, workers: 0, redisDatabase: 5, bucket: 'full-queue' }
const service = await startService(stack, { ...options, env: { MAX_QUEUED_JOBS: '1000000' } })
const redis = new Redis(service.redisUrl)
try {
  const client = createClient(service.apiUrl, service.tokens.all as string)
  await client.post(`/1.0/publish/${orgName}`)
  const request = { ...database(stack.neo4j, 'FullQueue', 'id'), metadata: true, originIds: ['p1'], orgName }
  const submit = async (fileName: string) =>
    (await client.post('/1.0/publish/', { ...request, fileName }, { Prefer: 'respond-async' })).headers.get('Location')
  const first = await Promise.all([1, 2, 3].map((at) => submit(`first ${Date.now()} ${at}`)))
  let started = performance.now()
  const bytes = await fillQueue(redis, service.env, orgName, count)
  console.log(`${count} jobs queued in ${Math.round(performance.now() - started)} ms`)
  console.log(`${Math.round(bytes)} bytes of Redis each`)
  console.log(await measureFullQueue(redis, client, service.apiUrl, request, orgName))
  started = performance.now()
  await service.startWorker({ WORKER_CONCURRENCY: '1' })
  console.log(`a worker has started after ${Math.round(performance.now() - started)} ms`)
  for (const location of first) await client.followJob(String(location))
  console.log(`and done the jobs at the head after ${Math.round(performance.now() - started)} ms`)
} finally {
  await service.stop()
  await redis.flushdb()
  redis.disconnect()
  rmSync(directory, { recursive: true })
}
