import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import { hasBegun, until, untilRunEnded } from '../../support/faults/processes.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { expireLocks } from '../../support/worlds/queue-state.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const steps = ['midRead', 'beforeCommitting', 'beforeManifest', 'beforeSucceeded']

test('workers blocked beyond their locks lose their jobs to another, change nothing later, and continue to work', {
  timeout: 300_000,
}, async () => {
  const world = await openWorld()
  const { service, origin } = world
  const version = await drawVersion(origin, inject('stack').neo4j, 20)
  // They are blocked for three times this long, until when another must have started and run their jobs one by one.
  const alone = { WORKER_LOCK_SECONDS: '14', WORKER_CONCURRENCY: '1' }
  const blocked = await Promise.all(
    steps.map((step) => service.startWorker({ ...overrides({ failpoint: `${step}:block` }), ...alone })),
  )
  const jobs = await Promise.all(
    steps.map((_, index) => world.publish({ version, fileName: `file${index}`, force: true })),
  )
  const workerOf = (id: string) => blocked.find((worker) => hasBegun(worker, id))
  // A lock that expires before its worker blocks proves nothing: that worker notices, and takes the next job.
  await until('every worker is blocked', () => blocked.every((worker) => worker.log().includes('blocked for')))
  const first = jobs.map(({ id }) => workerOf(id) as (typeof blocked)[number])
  await expireLocks(world)
  const other = await service.startWorker()
  for (const { done } of jobs) expect((await done)?.state).toBe('succeeded')
  // The job blocked at the last step is already committed, so it is only marked as succeeded.
  const begunAgain = jobs.flatMap(({ id }, index) => {
    return hasBegun(other, id) ? [steps[blocked.indexOf(first[index] as (typeof blocked)[number])]] : []
  })
  expect(begunAgain.sort()).toEqual(steps.slice(0, 3).sort())
  await Promise.all(jobs.map(({ id }, index) => untilRunEnded(first[index] as (typeof blocked)[number], id)))

  await other.stop(10_000)
  const later = await Promise.all(steps.map((step) => world.publish({ version, fileName: `after-${step}` })))
  for (const { done } of later) expect((await done)?.state).toBe('succeeded')
  expect(blocked.filter((worker) => worker.hasExited())).toEqual([])
  await mustHold(world)
})
