import { expect, inject, test } from 'vitest'
import { mustHold } from './support/invariants.ts'
import { hasBegun } from './support/processes.ts'
import { drawVersion } from './support/versions.ts'
import { openWorld } from './support/world.ts'

const steps = [
  'midRead:kill:1',
  'partStored:kill:1',
  'partStored:kill:3',
  'beforeCommitting:kill',
  'beforeManifest:kill',
  'beforePlainFiles:kill',
  'beforeSucceeded:kill',
]

test('whatever step a worker is killed at, another brings its job to one whole packet', {
  timeout: 180_000,
}, async () => {
  const world = await openWorld()
  const { service } = world
  const version = await drawVersion(world.origin, inject('stack').neo4j, 30)
  // Each worker takes one job and does not live to take another: so every job loses its worker at another step.
  const workers = await Promise.all(
    steps.map((step) => service.startWorker({ FAILPOINT: step, WORKER_CONCURRENCY: '1' })),
  )
  const jobs = await Promise.all(steps.map((_, index) => world.publish({ version, fileName: `file${index}` })))
  const exits = await Promise.all(workers.map(({ exited }) => exited))
  expect(exits.map(({ signal }) => signal)).toEqual(steps.map(() => 'SIGKILL'))
  for (const { id } of jobs) expect(workers.filter((worker) => hasBegun(worker, id)).length).toBe(1)

  await Promise.all([service.startWorker(), service.startWorker()])
  const ends = await Promise.all(jobs.map(({ done }) => done))
  expect(ends.map((end) => [end?.state, end?.progress.pairs, end?.progress.parts])).toEqual(
    steps.map(() => ['succeeded', version.pairs, 4]),
  )
  await mustHold(world)
})
