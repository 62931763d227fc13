import { expect, inject, test } from 'vitest'
import { hasBegun, until } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { stuckOrigin } from '../../support/faults/stuck-origin.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const stuck = await stuckOrigin()

test('workers share jobs concurrently, including one that joins later', { timeout: 240_000 }, async () => {
  const world = await openWorld({
    workers: 1,
    origins: [stuck.address],
    times: lastingLocks,
    env: { WORKER_CONCURRENCY: '1' },
  })
  const version = await drawVersion(world.origin, inject('stack').neo4j, 100)
  const workers = [...world.service.workers, await world.service.startWorker()]
  const requests = stuck.requestsOf(version)
  stuck.hold()
  const jobs = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      world.publish({ version, fileName: `file${index}`, batchSize: 100, requests }),
    ),
  )
  await until('every worker runs a job', () => workers.every((worker) => jobs.some(({ id }) => hasBegun(worker, id))))
  stuck.letGo()
  for (const { done } of jobs) expect(await done).toMatchObject({ state: 'succeeded', attempt: 1 })
  const shares = workers.map((worker) => jobs.filter(({ id }) => hasBegun(worker, id)).length)
  expect(shares.reduce((sum, share) => sum + share)).toBe(jobs.length)
  await mustHold(world)
})
