import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { expireLocks } from '../../support/worlds/queue-state.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

test('a job that kills its worker every time runs three times and then fails as workerLost', {
  timeout: 300_000,
}, async () => {
  const world = await openWorld({ times: lastingLocks })
  const version = await drawVersion(world.origin, inject('stack').neo4j, 10)
  const job = await world.publish({ version, fileName: 'deadly' })
  const setting = { ...overrides({ failpoint: 'midRead:kill' }), WORKER_CONCURRENCY: '1' }
  for (let run = 1; run <= 3; run++) {
    const worker = await world.service.startWorker(setting)
    expect((await worker.exited).signal).toBe('SIGKILL')
    await expireLocks(world)
  }
  // This worker would be killed as well if it ran the job.
  const last = await world.service.startWorker(setting)
  const end = await job.done
  expect([end?.state, end?.attempt, end?.error?.status, end?.error?.code]).toEqual(['failed', 3, 500, 'workerLost'])
  expect(last.hasExited()).toBe(false)
  await mustHold(world)
})
