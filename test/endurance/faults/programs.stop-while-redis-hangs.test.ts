import { expect, inject, test } from 'vitest'
import { ownRedis } from '../../support/faults/own-redis.ts'
import { until } from '../../support/faults/processes.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const limitMs = 45_000
const stuck = await stuckOrigin(3_000)

test('with Redis frozen both programs still stop in time on SIGTERM, and their jobs finish later', {
  timeout: 300_000,
}, async () => {
  const redis = await ownRedis()
  const env = { STOP_GRACE_SECONDS: '2' }
  const world = await openWorld({
    workers: 1,
    redis,
    origins: [stuck.address],
    answersMayFail: true,
    env,
  })
  const { service, client, org } = world
  const [worker] = service.workers
  if (!worker) throw new Error('no worker')
  const version = await drawVersion(world.origin, inject('stack').neo4j, 20)
  const job = await world.publish({ version, fileName: 'file', requests: stuck.requestsOf(version) })
  await job.seen(({ state }) => state === 'running')
  await until('the origin hangs', () => stuck.isHolding())
  const waiting = client.call('GET', `${job.location}?wait=55`).then(
    ({ status }) => status,
    () => 'no answer',
  )

  redis.freeze()
  const toldAt = performance.now()
  for (const program of [worker, service.api]) program.kill('SIGTERM')
  const exits = await Promise.all([worker, service.api].map(({ exited }) => exited))
  expect(performance.now() - toldAt).toBeLessThan(limitMs)
  expect(exits.map(({ signal }) => signal)).toEqual([null, null])
  expect([503, 'no answer']).toContain(await waiting)

  redis.wake()
  stuck.letGo()
  const [{ apiUrl }] = await Promise.all([service.startApi(), service.startWorker()])
  world.useApi(apiUrl)
  expect((await job.done)?.state).toBe('succeeded')
  expect((await world.client.get(`/1.0/publish/${org}`)).status).toBe(200)
  await mustHold(world)
})
