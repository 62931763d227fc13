import { Redis } from 'ioredis'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import { overrides } from '../../dev/service.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { createMetrics } from '../../shared/observability/metrics.ts'
import { prepare } from '../support/clients/e2e.ts'
import { until } from '../support/faults/processes.ts'
import { stuckOrigin } from '../support/faults/stuck-origin.ts'
import { type Measured, measuredAt } from '../support/programs/metrics.ts'
import { ownService } from '../support/programs/own-service.ts'
import { ownDatabase } from '../support/servers/own-database.ts'

vi.setConfig({ testTimeout: 180_000 })

const { database, release } = await ownDatabase(inject('stack').redis.url)
afterAll(release)
const stuck = await stuckOrigin(1)
const { service } = await ownService({
  redisDatabase: database,
  origins: [stuck.address],
  env: { ...overrides({ janitorSeconds: 1 }), WORKER_CONCURRENCY: '1', MAX_QUEUED_JOBS: '77' },
})
const redis = new Redis(service.redisUrl)
afterAll(() => redis.disconnect())
const { client, org, ids, fields } = await prepare(5, service)

/** Runs a worker, whose counts begin at zero, for one test, which gets a function that reads its metrics. */
async function withWorker(work: (measured: () => Promise<Measured>) => Promise<void>): Promise<void> {
  const worker = await service.startWorker()
  const [, port] = /"port":(\d+),"msg":"listening"/.exec(worker.log()) ?? []
  try {
    await work(() => measuredAt(`http://127.0.0.1:${port}`))
  } finally {
    await worker.stop(60_000)
  }
}
const api = () => measuredAt(service.apiUrl)
const publish = (more: object = {}) =>
  client.post(
    '/1.0/publish/',
    { ...fields, originIds: ids, orgName: org, fileName: uniqueName('file'), ...more },
    { Prefer: 'respond-async' },
  )
const cancel = async (location: string | null) => expect((await client.post(`${location}/cancel`)).status).toBe(200)
const ended = async (location: string) => (await client.followJob(location, 120_000)).state

test('without a worker, metrics report queued jobs, their age, and the limit of the queue', async () => {
  const { headers } = await publish()
  await until('it has waited', async () => (await api()).sum('packets_oldest_queued_seconds') >= 1)
  const waiting = await api()
  expect(waiting.sum('packets_queue_jobs', { state: 'prioritized' })).toBe(1)
  expect(waiting.sum('packets_open_runs')).toBe(1)
  expect(waiting.sum('packets_queue_limit_jobs')).toBe(77)
  expect(waiting.sum('packets_slots')).toBe(0)
  await cancel(headers.get('Location'))
})

test('when a job is done, the queue is empty, and the worker reports it with what it read and stored', async () => {
  const { headers } = await publish()
  await withWorker(async (measured) => {
    expect(await ended(headers.get('Location') as string)).toBe('succeeded')
    // The record is written before the queue removes the job.
    await until('the queue is empty', async () => (await api()).sum('packets_queue_jobs') === 0)
    await until('none is the oldest', async () => (await api()).sum('packets_oldest_queued_seconds') === 0)
    const done = await measured()
    expect(done.sum('packets_jobs_total', { outcome: 'succeeded' })).toBe(1)
    expect(done.sum('packets_job_seconds_count', { outcome: 'succeeded' })).toBe(1)
    expect(done.sum('packets_job_seconds_sum')).toBeGreaterThan(0)
    expect(done.sum('packets_attempts_total', { attempt: '1' })).toBe(1)
    expect(done.sum('packets_parts_total')).toBe(1)
    expect(done.sum('packets_pairs_total')).toBeGreaterThan(5)
    expect(done.sum('packets_part_bytes_total')).toBeGreaterThan(500)
    expect([done.sum('packets_slots'), done.sum('packets_busy_slots')]).toEqual([1, 0])
    for (const operation of ['connect', 'read']) {
      const made = done.sum('packets_bolt_seconds_count', { database: 'origin', operation, outcome: 'ok' })
      expect([operation, made > 0]).toEqual([operation, true])
    }
    for (const operation of ['put', 'get', 'list', 'copy', 'remove']) {
      const made = done.sum('packets_store_request_seconds_count', { operation, outcome: 'ok' })
      expect([operation, made > 0]).toEqual([operation, true])
    }
  })
})

test('a blocked run occupies a slot; failed jobs are counted by code, and cancelled ones are counted', async () => {
  await withWorker(async (measured) => {
    const refused = await publish({ credentials: `Basic ${Buffer.from('neo4j:wrong-password').toString('base64')}` })
    expect(await ended(refused.headers.get('Location') as string)).toBe('failed')
    const held = await publish({ dbUrl: `bolt://${stuck.address}` })
    await until('the worker is busy', async () => (await measured()).sum('packets_busy_slots') === 1)
    await until(
      'the queue is told to have it',
      async () => (await api()).sum('packets_queue_jobs', { state: 'active' }) === 1,
    )
    // Until a run is recorded, the API cancels the job itself.
    await until(
      'the run is recorded',
      async () => (await client.get<JobRecord>(`${held.headers.get('Location')}`)).body.state === 'running',
    )
    await client.post(`${held.headers.get('Location')}/cancel`)
    expect(await ended(held.headers.get('Location') as string)).toBe('cancelled')
    await until('the worker is free', async () => (await measured()).sum('packets_busy_slots') === 0)
    const told = await measured()
    expect(told.sum('packets_jobs_total', { outcome: 'failed', reason: 'originRefusedCredentials' })).toBe(1)
    expect(told.sum('packets_runs_failed_total', { reason: 'originRefusedCredentials' })).toBe(1)
    expect(told.sum('packets_jobs_total', { outcome: 'cancelled' })).toBe(1)
    const refusal = { database: 'origin', operation: 'connect', outcome: 'refused' }
    expect(told.sum('packets_bolt_seconds_count', refusal)).toBe(1)
    stuck.letGo()
  })
})

test('the janitor reports what it swept, and when', async () => {
  await withWorker(async () => {
    await until('everything was swept', async () => (await api()).sum('packets_last_sweep_timestamp_seconds') > 0)
  })
  const age = Date.now() / 1_000 - (await api()).sum('packets_last_sweep_timestamp_seconds')
  expect(age).toBeLessThan(120)
})

test('an API reports its requests, refused addresses, the manager, its dependencies and all other metrics', async () => {
  const before = await api()
  expect((await publish({ dbUrl: 'bolt://10.1.2.3:7687' })).status).toBe(422)
  expect((await publish({ returnOnly: true, orgName: undefined, fileName: undefined })).status).toBe(200)
  expect((await client.get('/1.0/manager/status')).status).toBe(200)
  await cancel((await publish()).headers.get('Location'))
  const after = await api()
  const moved = (name: string, labels: Record<string, string>) => after.sum(name, labels) - before.sum(name, labels)
  expect(moved('packets_addresses_refused_total', { by: 'address' })).toBe(1)
  expect(moved('packets_jobs_total', { outcome: 'cancelled' })).toBe(1)
  expect(moved('packets_http_request_seconds_count', { route: '/1.0/publish/', method: 'POST', status: '422' })).toBe(1)
  for (const [database, operation] of [
    ['manager', 'query'],
    ['origin', 'read'],
  ]) {
    const asked = { database: database as string, operation: operation as string, outcome: 'ok' }
    expect(moved('packets_bolt_seconds_count', asked)).toBeGreaterThan(0)
  }
  for (const dependency of ['redis', 'object store']) {
    expect(after.sum('packets_dependency_up', { dependency })).toBe(1)
  }
  const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
  expect(after.sum('packets_redis_memory_bytes')).toBeGreaterThan(used / 2)
  expect(after.names.has('packets_redis_memory_limit_bytes')).toBe(true)
  expect(after.names.has('nodejs_eventloop_lag_p99_seconds')).toBe(true)

  // These series begin with their first event.
  const { names } = after
  const all = (await createMetrics().registry.getMetricsAsJSON()).filter(({ name }) => name.startsWith('packets_'))
  const untold = all.filter(({ name }) => !names.has(name) && !names.has(`${name}_count`)).map(({ name }) => name)
  expect(untold.sort()).toEqual([
    'packets_callback_seconds',
    'packets_runs_failed_total',
    'packets_swept_objects_total',
  ])
})
