import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import { recordKey } from '../../../shared/redis/keys.ts'
import { until } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { expireLocks } from '../../support/worlds/queue-state.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

test('a job that ran beside one that kills its workers is not blamed: it runs alone, and succeeds', {
  timeout: 300_000,
}, async () => {
  const origin = await stuckOrigin()
  const world = await openWorld({ times: lastingLocks, origins: [origin.address] })
  const version = await drawVersion(world.origin, inject('stack').neo4j, 10)
  origin.hold()
  const bystander = await world.publish({ version, fileName: 'bystander', requests: origin.requestsOf(version) })
  // Two runs at a time, of which the one that reads kills the worker.
  const worker = await world.service.startWorker({
    ...overrides({ failpoint: 'midRead:kill' }),
    WORKER_CONCURRENCY: '2',
  })
  await until('the bystander runs', async () => (await world.records.read(bystander.id))?.state === 'running')
  const killer = await world.publish({ version, fileName: 'killer' })
  expect((await worker.exited).signal).toBe('SIGKILL')
  const unended = (id: string) => world.redis.hget(recordKey(id), 'unended')
  expect([await unended(bystander.id), await unended(killer.id)]).toEqual(['1', '1'])
  await expireLocks(world)
  const next = await world.service.startWorker({ WORKER_CONCURRENCY: '2', LOG_LEVEL: 'info' })
  const steps = () => [...next.log().matchAll(/"job (started|finished)"/g)].map(([, step]) => step)
  await until('one of them runs', () => steps().includes('started'))
  origin.letGo()
  const ends = await Promise.all([bystander.done, killer.done])
  expect(ends.map((end) => end?.state)).toEqual(['succeeded', 'succeeded'])
  await until('both are logged', () => steps().length === 4)
  expect(steps()).toEqual(['started', 'finished', 'started', 'finished'])
  await mustHold(world)
})
