import { setTimeout as delay } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { fileOf } from '../../../dev/service.ts'
import { startProcess } from '../../../dev/stack/processes.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { requestKey } from '../../../shared/storage/keys.ts'
import { ownRedis } from '../../support/faults/own-redis.ts'
import { until } from '../../support/faults/processes.ts'
import { beyondLockMs } from '../../support/faults/short-times.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld, type World } from '../../support/worlds/world.ts'

const stuck = await stuckOrigin(3_000)
// Two jobs that hang keep the others waiting.
const twoSlots = { WORKER_CONCURRENCY: '2' }

async function everythingOf({ redis, storage }: World) {
  const objects: string[] = []
  for await (const { key } of storage.store.list('')) objects.push(key)
  // Excludes the queue's own events and locks, which change constantly.
  return { keys: (await redis.keys('packets:[^q]*')).sort(), objects: objects.sort() }
}

test('a Redis out of memory refuses new jobs without leaving data; existing jobs finish once it has memory again', {
  timeout: 300_000,
}, async () => {
  const redis = await ownRedis()
  const world = await openWorld({ workers: 1, redis, origins: [stuck.address], answersMayFail: true, env: twoSlots })
  const { client, org } = world
  const version = await drawVersion(world.origin, inject('stack').neo4j, 20)
  const before = await world.publish({ version, fileName: 'before' })
  expect((await before.done)?.state).toBe('succeeded')
  const running = await world.publish({ version, fileName: 'running', requests: stuck.requestsOf(version) })
  await until('the origin hangs', () => stuck.isHolding())
  const held = await world.publish({ version, fileName: 'held', requests: stuck.requestsOf(version) })
  const queued = await Promise.all([1, 2, 3].map((at) => world.publish({ version, fileName: `queued${at}` })))
  await held.seen(({ state }) => state === 'running')
  // Deleted after the success is reported.
  const leftover = requestKey(org, before.id)
  await until('its request is deleted', async () => !(await everythingOf(world)).objects.includes(leftover))

  await redis.full(true)
  const fullSince = performance.now()
  const had = await everythingOf(world)
  const order = { ...version.requests[0], orgName: org, fileName: 'refused' }
  const answers = await Promise.all([
    client.post('/1.0/publish/', order),
    client.post('/1.0/publish/', order, { 'Idempotency-Key': 'key' }),
    client.post('/1.0/publish/multi', [order], { Prefer: 'respond-async' }),
    client.post('/1.0/publish/multi?forceOverwrite=true', [{ ...order, fileName: 'before' }]),
    client.post(`${running.location}/cancel`),
  ])
  expect(answers.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual(
    answers.map(() => [503, '5']),
  )
  expect(await everythingOf(world)).toEqual(had)
  expect((await client.get(`/1.0/publish/${org}/before`)).status).toBe(200)
  expect((await client.get<JobRecord>(before.location)).body.state).toBe('succeeded')
  stuck.letGo()
  await delay(beyondLockMs - (performance.now() - fullSince)) // the duration of the outage is what is tested
  expect((await client.get<JobRecord>(running.location)).body.state).toBe('running')

  await redis.full(false)
  for (const { done } of [running, held, ...queued]) expect((await done)?.state).toBe('succeeded')
  const again = await client.post('/1.0/publish/', order, { 'Idempotency-Key': 'key' })
  expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, null])
  expect((await client.call('DELETE', `/1.0/publish/${org}/refused`)).status).toBe(200)
  await mustHold(world)
})

test('both programs refuse to start on a Redis that may evict jobs, and say how to change that', {
  timeout: 240_000,
}, async () => {
  const redis = await ownRedis()
  const { service } = await openWorld({ redis })
  await redis.evict('allkeys-lru')
  for (const program of ['api', 'worker'] as const) {
    const logFile = `${service.env.AUTH_TOKENS}.${program}.log`
    const env = { PATH: process.env.PATH, ...service.env }
    const args = [fileOf(program)]
    const started = await startProcess({ name: program, command: process.execPath, args, env, logFile })
    expect(await started.exited).toEqual({ code: 1, signal: null })
    expect(started.log()).toContain('Redis has maxmemory-policy allkeys-lru')
    expect(started.log()).toContain('CONFIG SET maxmemory-policy noeviction')
    expect(started.log()).not.toContain('"started"')
  }
})
