import { expect, inject, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import type { JobRecord } from '../../shared/jobs/record.ts'
import { subRequestsPerSlice } from '../../shared/jobs/stored-request.ts'
import { drawVersion } from './support/versions.ts'
import { openWorld } from './support/world.ts'

test('small publishes of another org wait for at most two slices of a large multi', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ workers: 1, env: { WORKER_CONCURRENCY: '1' } })
  const { client } = world
  const [large, small] = await Promise.all(
    [2_000, 10].map((people) => drawVersion(world.origin, inject('stack').neo4j, people)),
  )
  if (!large || !small) throw new Error('not drawn')
  const job = await world.publish({ version: large, fileName: 'large', batchSize: 5_000 })
  const done = async () => (await client.get<JobRecord>(job.location)).body.progress.subRequestsDone
  await job.seen(({ progress }) => progress.subRequestsDone > 0)

  const other = uniqueName('other')
  await client.post(`/1.0/publish/${other}`)
  for (const fileName of ['one', 'two', 'three']) {
    const before = await done()
    const { status } = await client.post('/1.0/publish/', { ...small.requests[0], orgName: other, fileName })
    expect(status).toBe(200)
    expect((await done()) - before).toBeLessThanOrEqual(2 * subRequestsPerSlice)
  }
  // A multi of two slices does not wait for the rest of the ten slices either.
  const before = await done()
  const requests = Array.from({ length: subRequestsPerSlice + 1 }, () => small.requests[0] as object)
  const path = '/1.0/publish/multi'
  const { status } = await client.post(
    path,
    requests.map((request) => ({ ...request, orgName: other, fileName: 'multi' })),
  )
  expect(status).toBe(200)
  expect((await done()) - before).toBeLessThanOrEqual(4 * subRequestsPerSlice)
  expect((await job.done)?.state).toBe('succeeded')
})
