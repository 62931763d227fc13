import { expect, inject, test } from 'vitest'
import { mustHold } from './support/invariants.ts'
import { hasBegun } from './support/processes.ts'
import { drawVersion } from './support/versions.ts'
import { openWorld } from './support/world.ts'

test('workers share jobs concurrently, including one that joins later', { timeout: 120_000 }, async () => {
  const world = await openWorld({ workers: 1, env: { WORKER_CONCURRENCY: '1' } })
  const version = await drawVersion(world.origin, inject('stack').neo4j, 100)
  const workers = [...world.service.workers, await world.service.startWorker()]
  const jobs = await Promise.all(
    Array.from({ length: 12 }, (_, index) => world.publish({ version, fileName: `file${index}`, batchSize: 100 })),
  )
  for (const { done } of jobs) expect(await done).toMatchObject({ state: 'succeeded', attempt: 1 })
  const shares = workers.map((worker) => jobs.filter(({ id }) => hasBegun(worker, id)).length)
  expect(shares.reduce((sum, share) => sum + share)).toBe(jobs.length)
  expect(shares.every((share) => share > 0)).toBe(true)
  await mustHold(world)
})
