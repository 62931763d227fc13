import { setTimeout as delay } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { ownRedis } from '../../support/faults/own-redis.ts'
import { until } from '../../support/faults/processes.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion, type Version } from '../../support/worlds/versions.ts'
import { openWorld, type World } from '../../support/worlds/world.ts'

const frozenMs = 10_000
// A command times out after 5 s. Without that no answer would come before Redis continues, which waits for the answer.
const answerLimitMs = 20_000

async function open() {
  const redis = await ownRedis()
  const world = await openWorld({ workers: 2, redis, answersMayFail: true })
  const version = await drawVersion(world.origin, inject('stack').neo4j, 20)
  return { redis, world, version }
}

const publishSome = (world: World, version: Version, prefix: string) =>
  Promise.all([1, 2, 3, 4, 5, 6].map((number) => world.publish({ version, fileName: `${prefix}${number}` })))

/** The same processes serve new jobs, and a waiting client gets its answer in time. */
async function mustWorkOn({ client, org, reader }: World, version: Version) {
  const order = { ...version.requests[0], orgName: org }
  const isAnswered = async () => (await client.post(`/1.0/publish/${org}`)).status === 200
  await until('the API answers', isAnswered)
  const publish = () => client.post('/1.0/publish/', { ...order, returnOnly: false, fileName: 'afterwards' })
  let answer = await publish()
  await until('a job is taken', async () => {
    if (answer.status === 503) answer = await publish()
    return answer.status !== 503
  })
  expect([answer.status, reader.rounds() > 0]).toEqual([200, true])
  expect((await client.call('DELETE', `/1.0/publish/${org}/afterwards`)).status).toBe(200)
}

test('while Redis is frozen reads continue and writes fail in time; afterwards every job continues', {
  timeout: 300_000,
}, async () => {
  const { redis, world, version } = await open()
  const jobs = await publishSome(world, version, 'frozen')
  redis.freeze()
  const frozenAt = performance.now()
  const rounds = world.reader.rounds()
  const refused = await world.client.post('/1.0/publish/', {
    ...version.requests[0],
    orgName: world.org,
    fileName: 'x',
  })
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '5'])
  expect(performance.now() - frozenAt).toBeLessThan(answerLimitMs)
  await delay(frozenMs - (performance.now() - frozenAt)) // the duration of the freeze is what is tested
  expect(world.reader.rounds()).toBeGreaterThan(rounds)
  redis.wake()
  for (const { done } of jobs) expect((await done)?.state).toBe('succeeded')
  await mustWorkOn(world, version)
  await mustHold(world)
})

test('acknowledged jobs survive a Redis that is killed and restarts from its append-only file', {
  timeout: 300_000,
}, async () => {
  const { redis, world, version } = await open()
  const jobs = await publishSome(world, version, 'kept')
  await redis.kill()
  await redis.start('as it was')
  for (const { done } of jobs) expect((await done)?.state).toBe('succeeded')
  await mustWorkOn(world, version)
  await mustHold(world)
})

test('a Redis that restarts empty has lost its jobs but no packet, and the same programs serve new jobs', {
  timeout: 300_000,
}, async () => {
  const { redis, world, version } = await open()
  const [before] = await publishSome(world, version, 'before')
  expect((await before?.done)?.state).toBe('succeeded')
  const lost = await publishSome(world, version, 'lost')
  await redis.kill()
  await redis.start('empty')
  await Promise.all(lost.map(({ done }) => done))
  const forgotten = [...world.published]
  await mustWorkOn(world, version)
  const [after] = await publishSome(world, version, 'after')
  expect((await after?.done)?.state).toBe('succeeded')
  await mustHold(world, { forgotten })
})
