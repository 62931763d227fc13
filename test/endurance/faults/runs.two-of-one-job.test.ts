import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import type { RunningProcess } from '../../../dev/stack/processes.ts'
import { hasBegun, untilFrozen, untilRunEnded } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { expireLocks } from '../../support/worlds/queue-state.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const firstRuns = ['midRead', ...Array(4).fill('beforeManifest')]
const secondRuns = ['midRead', 'partStored', ...Array(3).fill('beforeManifest')]

test('two runs of one job that commit in either order, or concurrently, leave one packet', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ times: lastingLocks })
  const start = (steps: readonly string[]) =>
    Promise.all(
      steps.map((step) =>
        world.service.startWorker({ ...overrides({ failpoint: `${step}:stop` }), WORKER_CONCURRENCY: '1' }),
      ),
    )
  const version = await drawVersion(world.origin, inject('stack').neo4j, 20)
  const first = await start(firstRuns)
  // With force, only the job's own generation prevents the second run from committing another.
  const jobs = await Promise.all(
    firstRuns.map((_, index) => world.publish({ version, fileName: `file${index}`, force: index !== 2 })),
  )
  await Promise.all(first.map(untilFrozen))
  await expireLocks(world)
  const second = await start(secondRuns)
  await Promise.all(second.map(untilFrozen))

  const runnerOf = (workers: readonly RunningProcess[], id: string) =>
    workers.find((worker) => hasBegun(worker, id)) as RunningProcess
  const wake = async (workers: readonly RunningProcess[], id: string) => {
    for (const worker of workers) worker.kill('SIGCONT')
    await Promise.all(workers.map((worker) => untilRunEnded(worker, id)))
  }
  const runs = jobs.map(({ id }) => ({ id, one: runnerOf(first, id), other: runnerOf(second, id) }))
  await Promise.all(
    runs.map(async ({ id, one, other }, index) => {
      const orders = [[[one], [other]], [[other], [one]], [[one, other]]]
      for (const woken of orders[index % orders.length] as RunningProcess[][]) await wake(woken, id)
    }),
  )
  const ends = await Promise.all(jobs.map(({ done }) => done))
  expect(ends.map((end) => [end?.state, end?.progress])).toEqual(
    ends.map((end) => ['succeeded', { ...end?.progress, phase: 'done', subRequestsDone: 2, pairs: 40, parts: 3 }]),
  )
  await mustHold(world)
})
