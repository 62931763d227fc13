import { setTimeout as delay } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import { hasBegun, untilFrozen } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { sweepNow } from '../../support/worlds/leftovers.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const steps = ['partStored', 'beforeCommitting', 'beforeManifest', 'beforePlainFiles', 'beforeSucceeded']

test('sweeps without a grace period spare the parts of a slow worker until its job is finished', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ times: lastingLocks })
  const version = await drawVersion(world.origin, inject('stack').neo4j, 40)
  const workers = await Promise.all(
    steps.map((step) =>
      world.service.startWorker({ ...overrides({ failpoint: `${step}:stop` }), WORKER_CONCURRENCY: '1' }),
    ),
  )
  const jobs = await Promise.all(steps.map((_, index) => world.publish({ version, fileName: `file${index}` })))
  await Promise.all(workers.map(untilFrozen))
  expect(jobs.map(({ id }) => workers.filter((worker) => hasBegun(worker, id)).length)).toEqual(steps.map(() => 1))
  expect(await sweepNow(world)).toMatchObject({ parts: 0, requests: 0, generations: 0 })

  let isPublishing = true
  let [sweeps, swept] = [0, 0]
  const sweeping = (async () => {
    for (; isPublishing; await delay(10)) {
      swept += (await sweepNow(world)).generations
      sweeps++
    }
  })()
  // The first of these sweeps is under way when the workers continue.
  for (const worker of workers) worker.kill('SIGCONT')
  const ends = await Promise.all(jobs.map(({ done }) => done))
  isPublishing = false
  await sweeping
  expect(ends.map((end) => [end?.state, end?.attempt])).toEqual(steps.map(() => ['succeeded', 1]))
  expect([sweeps > 0, swept]).toEqual([true, 0])
  await mustHold(world)
})
