import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import { untilFrozen, untilRunEnded } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { expireLocks } from '../../support/worlds/queue-state.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

test('a run frozen before its manifest commits nothing after another run has failed the job', {
  timeout: 300_000,
}, async () => {
  const world = await openWorld({ times: lastingLocks })
  const version = await drawVersion(world.origin, inject('stack').neo4j, 20)
  const whole = await world.service.startWorker()
  const before = await world.publish({ version, fileName: 'taken' })
  expect((await before.done)?.state).toBe('succeeded')
  whole.kill('SIGTERM')
  await whole.exited

  const frozen = await Promise.all(
    ['a', 'b'].map(() =>
      world.service.startWorker({ ...overrides({ failpoint: 'beforeManifest:stop' }), WORKER_CONCURRENCY: '1' }),
    ),
  )
  const later = await drawVersion(world.origin, inject('stack').neo4j, 20)
  const jobs = [
    await world.publish({ version: later, fileName: 'taken', force: true }),
    await world.publish({ version: later, fileName: 'free' }),
  ]
  await Promise.all(frozen.map(untilFrozen))
  await expireLocks(world)
  // Takes over, but may make only one pair, so the jobs fail.
  await world.service.startWorker({ JOB_MAX_PAIRS: '1' })
  const ends = await Promise.all(jobs.map(({ done }) => done))
  expect(ends.map((end) => [end?.state, end?.error?.code])).toEqual(Array(2).fill(['failed', 'tooManyPairs']))
  for (const worker of frozen) worker.kill('SIGCONT')
  await Promise.all(jobs.map(({ id }) => Promise.any(frozen.map((worker) => untilRunEnded(worker, id)))))
  const listed = await world.client.get(`/1.0/publish/${world.org}`)
  expect(listed.body.fileNames).toEqual(expect.arrayContaining([expect.stringMatching(/^taken/)]))
  expect(listed.body.fileNames?.filter((name) => name.startsWith('free'))).toEqual([])
  await mustHold(world)
})
