import { expect, inject, test } from 'vitest'
import { overrides } from '../../../dev/service.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { hasBegun, untilFrozen } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

// At each of these steps a worker freezes while its job is cancelled, then continues.
const steps: Record<string, { answer: number; end: JobRecord['state'] }> = {
  midRead: { answer: 202, end: 'cancelled' },
  partStored: { answer: 202, end: 'cancelled' },
  beforeCommitting: { answer: 202, end: 'cancelled' },
  beforeManifest: { answer: 409, end: 'succeeded' },
  beforePlainFiles: { answer: 409, end: 'succeeded' },
}

test('a job can be cancelled in any state before its commit, which frees its name and leaves no data behind', {
  timeout: 300_000,
}, async () => {
  const world = await openWorld({ times: lastingLocks })
  const { client, service } = world
  const version = await drawVersion(world.origin, inject('stack').neo4j, 20)
  const cancel = (location: string) => client.post<JobRecord>(`${location}/cancel`)

  const queued = await world.publish({ version, fileName: 'queued' })
  const answer = await cancel(queued.location)
  expect([answer.status, answer.body.state]).toEqual([200, 'cancelled'])

  const names = Object.keys(steps)
  const workers = await Promise.all(
    names.map((step) => service.startWorker({ ...overrides({ failpoint: `${step}:stop` }), WORKER_CONCURRENCY: '1' })),
  )
  const jobs = await Promise.all(names.map((_, index) => world.publish({ version, fileName: `file${index}` })))
  await Promise.all(workers.map(untilFrozen))
  await Promise.all(
    jobs.map(async ({ id, location, done }) => {
      const at = workers.findIndex((worker) => hasBegun(worker, id))
      const { answer, end } = steps[names[at] as string] as (typeof steps)[string]
      expect([names[at], (await cancel(location)).status]).toEqual([names[at], answer])
      workers[at]?.kill('SIGCONT')
      expect((await done)?.state).toBe(end)
    }),
  )

  for (const { location, done } of [queued, ...jobs]) {
    const isCancelled = (await done)?.state === 'cancelled'
    expect((await cancel(location)).status).toBe(isCancelled ? 200 : 409)
    expect((await client.get(`${location}/result`)).status).toBe(isCancelled ? 409 : 200)
  }
  const again = await world.publish({ version, fileName: 'queued' })
  expect((await again.done)?.state).toBe('succeeded')
  await mustHold(world)
})
