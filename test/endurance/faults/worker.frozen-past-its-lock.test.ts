import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import type { RunningProcess } from '../../../dev/stack/processes.ts'
import { hasBegun, untilFrozen, untilRunEnded } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { expireLocks } from '../../support/worlds/queue-state.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const steps = ['midRead', 'partStored', 'beforeCommitting', 'beforeManifest', 'beforePlainFiles', 'beforeSucceeded']

test('a worker that wakes long after another finished its job, or after an overwrite, changes nothing', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ times: lastingLocks })
  const { service } = world
  const [old, newer] = await Promise.all(
    [20, 30].map((people) => drawVersion(world.origin, inject('stack').neo4j, people)),
  )
  if (!old || !newer) throw new Error('not drawn')
  // All steps but the first two are used twice; the second set is overwritten.
  const frozenAt = [...steps, ...steps.slice(2)]
  const workers = await Promise.all(
    frozenAt.map((step) =>
      service.startWorker({ ...overrides({ failpoint: `${step}:stop` }), WORKER_CONCURRENCY: '1' }),
    ),
  )
  // With force, only the job's own generation prevents the woken run from committing another.
  const jobs = await Promise.all(
    frozenAt.map((_, index) => world.publish({ version: old, fileName: `file${index}`, force: true })),
  )
  await Promise.all(workers.map(untilFrozen))
  const workerOf = (id: string) => workers.find((worker) => hasBegun(worker, id))
  expect(new Set(jobs.map(({ id }) => workerOf(id))).size).toBe(frozenAt.length)

  await expireLocks(world)
  await Promise.all([service.startWorker(), service.startWorker()])
  const ends = await Promise.all(jobs.map(({ done }) => done))
  expect(ends.map((end) => [end?.state, end?.progress.pairs])).toEqual(jobs.map(() => ['succeeded', old.pairs]))

  // Jobs are assigned to workers at random, so the jobs of the later workers are overwritten.
  const overwritten = jobs.filter(({ id }) => workers.indexOf(workerOf(id) as RunningProcess) >= steps.length)
  const order = { version: newer, batchSize: 30, force: true }
  const replacing = await Promise.all(overwritten.map(({ fileName }) => world.publish({ ...order, fileName })))
  for (const { done } of replacing) expect((await done)?.state).toBe('succeeded')

  for (const worker of workers) worker.kill('SIGCONT')
  await Promise.all(jobs.map(({ id }) => untilRunEnded(workerOf(id) as RunningProcess, id)))
  await mustHold(world)
})
