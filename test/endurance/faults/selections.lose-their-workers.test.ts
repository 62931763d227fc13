import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import { logOf } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { expireLocks } from '../../support/worlds/queue-state.ts'
import { drawVersion, type Version } from '../../support/worlds/versions.ts'
import { openWorld, type World } from '../../support/worlds/world.ts'

// As many as the world's sub-requests of a slice have.
const limits = { nodesPerSlice: 200 }

const start = ({ service }: World, step?: string) =>
  service.startWorker({ ...overrides({ ...limits, ...(step ? { failpoint: step } : {}) }), WORKER_CONCURRENCY: '1' })

/** The whole version as one request that selects its label. */
function selecting({ label, requests: [first] }: Version) {
  const { originIds: _, ...fields } = first as Record<string, unknown>
  return [{ ...fields, select: [{ label }] }]
}

test('a selection that loses a worker in its listing and in its slices is published whole, and listed once', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ times: lastingLocks })
  const version = await drawVersion(world.origin, inject('stack').neo4j, 1_010)
  const first = await start(world, 'midListing:kill:3')
  const job = await world.publish({ version, fileName: 'large', batchSize: 150, requests: selecting(version) })
  expect(await first.exited).toEqual({ code: null, signal: 'SIGKILL' })
  // A third loss outside of a slice would fail the job.
  for (const step of ['selectionStored:kill', 'partStored:kill:2']) {
    await expireLocks(world)
    const worker = await start(world, step)
    expect([step, (await worker.exited).signal]).toEqual([step, 'SIGKILL'])
  }
  await expireLocks(world)
  const last = await Promise.all([start(world), start(world)])
  const end = await job.done
  expect([end?.state, end?.progress.pairs, end?.progress.parts]).toEqual(['succeeded', 2_020, 16])
  expect(end?.report?.selection).toMatchObject({ nodes: 1_010, gone: 0, withoutIdentity: [] })
  expect(last.flatMap((worker) => logOf(worker, job.id)).length).toBeGreaterThan(0)
  await mustHold(world)
})

test('several workers build the slices of a selection, and a small one needs none', { timeout: 240_000 }, async () => {
  const world = await openWorld()
  await Promise.all([start(world), start(world)])
  const large = await drawVersion(world.origin, inject('stack').neo4j, 650)
  const small = await drawVersion(world.origin, inject('stack').neo4j, 200)
  const jobs = [
    await world.publish({ version: large, fileName: 'large', batchSize: 150, requests: selecting(large) }),
    await world.publish({ version: small, fileName: 'small', batchSize: 150, requests: selecting(small) }),
  ]
  const ends = await Promise.all(jobs.map(({ done }) => done))
  expect(ends.map((end) => [end?.state, end?.attempt, end?.progress.pairs])).toEqual([
    ['succeeded', 1, 1_300],
    ['succeeded', 1, 400],
  ])
  await mustHold(world)
})
