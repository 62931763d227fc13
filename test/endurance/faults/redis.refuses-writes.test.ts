import { setTimeout as delay } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { configureRedis } from '../../support/faults/configure-redis.ts'
import { ownRedis } from '../../support/faults/own-redis.ts'
import { until } from '../../support/faults/processes.ts'
import { beyondLockMs } from '../../support/faults/short-times.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const stuck = await stuckOrigin(3_000)

test('a Redis without replicas that refuses writes counts as unavailable and fails no job', {
  timeout: 240_000,
}, async () => {
  const redis = await ownRedis()
  const world = await openWorld({ workers: 1, redis, origins: [stuck.address], answersMayFail: true })
  const { client, org } = world
  const version = await drawVersion(world.origin, inject('stack').neo4j, 20)
  const running = await world.publish({ version, fileName: 'running', requests: stuck.requestsOf(version) })
  await until('the origin hangs', () => stuck.isHolding())
  const queued = await world.publish({ version, fileName: 'queued' })

  await configureRedis(redis.address.url, 'min-replicas-to-write', '1')
  const since = performance.now()
  const answers = await Promise.all([
    client.post('/1.0/publish/', { ...version.requests[0], orgName: org, fileName: 'refused' }),
    client.post(`${running.location}/cancel`),
  ])
  expect(answers.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual([
    [503, '5'],
    [503, '5'],
  ])
  stuck.letGo()
  await delay(beyondLockMs - (performance.now() - since)) // the duration of the refusal is what is tested
  expect((await client.get<JobRecord>(running.location)).body.state).toBe('running')

  await configureRedis(redis.address.url, 'min-replicas-to-write', '0')
  for (const { done } of [running, queued]) expect((await done)?.state).toBe('succeeded')
  await mustHold(world)
})
