import { expect, inject, test } from 'vitest'
import { overrides } from '../../dev/service.ts'
import { mustHold } from '../support/worlds/invariants.ts'
import { drawVersion } from '../support/worlds/versions.ts'
import { openWorld } from '../support/worlds/world.ts'

test('a worker is killed after it has stored all parts: another completes the job as one whole packet', async () => {
  const world = await openWorld()
  const version = await drawVersion(world.origin, inject('stack').neo4j, 30)
  const killed = await world.service.startWorker({
    ...overrides({ failpoint: 'beforeManifest:kill' }),
    WORKER_CONCURRENCY: '1',
  })
  const job = await world.publish({ version, fileName: 'file' })
  expect(await killed.exited).toEqual({ code: null, signal: 'SIGKILL' })
  await world.service.startWorker()
  const end = await job.done
  expect([end?.state, end?.attempt, end?.progress.pairs]).toEqual(['succeeded', 2, version.pairs])
  await mustHold(world)
})
