import { afterAll, expect, inject, test } from 'vitest'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { prepare } from '../../support/clients/e2e.ts'
import { startTcpProxy } from '../../support/faults/tcp-proxy.ts'
import { databaseOfFile, ownService } from '../../support/programs/own-service.ts'

// Holds all traffic, once, when a submission adds its id to the queue, after creating its record.
let isArmed = false
const proxy = await startTcpProxy(new URL(inject('stack').redis.url).host, {
  fromClient(chunk) {
    const isAdded = isArmed && chunk.includes('publish-packet')
    if (!isAdded) return 'pass'
    isArmed = false
    return 'hold'
  },
})
afterAll(() => proxy.close())
const redisDatabase = await databaseOfFile()
const env = { REDIS_URL: `redis://${proxy.address}/${redisDatabase}` }
const { service, client } = await ownService({ redisDatabase, env })
const { org, fields } = await prepare(3, service)
const request = (fileName: string) => ({ ...fields, originIds: ['p1'], orgName: org, fileName })

// A command times out after 5 s; an interrupted submission sends one more command to undo itself. Without the time limit
// no answer would come before Redis continues, which waits for the answers.
const limitMs = 30_000

const submissions: Record<string, (fileName: string) => ReturnType<typeof client.post>> = {
  'that waits': (fileName) => client.post('/1.0/publish/', request(fileName)),
  'with a key': (fileName) =>
    client.post('/1.0/publish/', request(fileName), { 'Idempotency-Key': `${org}-${fileName}`.replaceAll(' ', '-') }),
  'that does not wait': (fileName) => client.post('/1.0/publish/', request(fileName), { Prefer: 'respond-async' }),
  'of many': (fileName) => client.post('/1.0/publish/multi', [request(fileName), request(fileName)]),
}

const statesOf = async () =>
  (await client.get<{ jobs: JobRecord[] }>(`/1.0/jobs?orgName=${org}`)).body.jobs.map(({ state }) => state)

test('while Redis hangs, dozens of submissions of every kind get a 503 in time, and none becomes a job later', {
  timeout: 240_000,
}, async () => {
  proxy.hold()
  const started = performance.now()
  const answers = await Promise.all(
    Object.entries(submissions).flatMap(([kind, submit]) =>
      Array.from({ length: 10 }, (_, index) => submit(`${kind} ${index}`)),
    ),
  )
  expect(performance.now() - started).toBeLessThan(limitMs)
  expect(answers.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual(
    answers.map(() => [503, '5']),
  )
  proxy.letGo()
  await expect.poll(async () => (await fetch(`${service.apiUrl}/readyz`)).status, { timeout: 30_000 }).toBe(200)
  expect(await statesOf()).toEqual([])
})

test('submissions interrupted by Redis get a 503 in time; after it recovers they have failed and can be repeated', {
  timeout: 240_000,
}, async () => {
  const submitAll = () => Promise.all(Object.entries(submissions).map(([kind, submit]) => submit(`half-way ${kind}`)))
  isArmed = true
  const started = performance.now()
  const answers = await submitAll()
  expect(performance.now() - started).toBeLessThan(limitMs)
  expect(answers.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual(
    answers.map(() => [503, '5']),
  )
  expect(proxy.isHolding()).toBe(true)
  proxy.letGo()
  await expect.poll(async () => (await fetch(`${service.apiUrl}/readyz`)).status, { timeout: 30_000 }).toBe(200)
  const failed = (await statesOf()).length
  expect(failed).toBeGreaterThan(0)
  expect(await statesOf()).toEqual(Array(failed).fill('failed'))

  await service.startWorker()
  const again = await submitAll()
  for (const { status, headers } of again) {
    expect([200, 202]).toContain(status)
    expect(headers.get('Idempotent-Replayed')).toBeNull()
    const job = await client.followJob(headers.get('Location') as string)
    expect([job.state, job.attempt]).toEqual(['succeeded', 1])
  }
})
