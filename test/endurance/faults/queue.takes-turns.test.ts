import { expect, inject, test } from 'vitest'
import { uniqueName } from '../../../dev/requests.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { subRequestsPerSlice } from '../../../shared/jobs/job.ts'
import { recordKey } from '../../../shared/redis/keys.ts'
import { until } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld } from '../../support/worlds/world.ts'

const { neo4j } = inject('stack')

test("a large multi and another org's only publish do not wait for all jobs that an org has queued before them", {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ times: lastingLocks })
  const { client, service, org } = world
  const [large, small] = await Promise.all([600, 10].map((people) => drawVersion(world.origin, neo4j, people)))
  if (!large || !small) throw new Error('not drawn')
  expect(large.requests.length).toBe(3 * subRequestsPerSlice)
  const other = uniqueName('other')
  await client.post(`/1.0/publish/${other}`)
  const submit = async (path: string, body: object) => {
    const { headers } = await client.post(path, body, { Prefer: 'respond-async' })
    return headers.get('Location')?.split('/').at(-1) as string
  }
  const named = (request: object | undefined, orgName: string, fileName: string) => ({ ...request, orgName, fileName })
  const multi = (fileName: string) => large.requests.map((request) => named(request, org, fileName))
  const first = await submit('/1.0/publish/multi', multi('large'))
  const many: string[] = []
  for (let at = 0; at < 80; at++) {
    many.push(await submit('/1.0/publish/', named(small.requests[0], org, `small ${at}`)))
  }
  const theirs = await submit('/1.0/publish/', named(small.requests[0], other, 'theirs'))

  const worker = await service.startWorker({ WORKER_CONCURRENCY: '1', LOG_LEVEL: 'info' })
  const ends = await Promise.all([first, theirs, ...many].map((id) => client.followJob(`/1.0/jobs/${id}`, 180_000)))
  expect(new Set(ends.map(({ state }) => state))).toEqual(new Set(['succeeded']))
  const finished = () =>
    worker
      .log()
      .split('\n')
      .filter((line) => line.includes('"job finished"'))
      .map((line) => JSON.parse(line).jobId as string)
  await until('every job is logged as finished', () => finished().length === ends.length)
  expect(finished().indexOf(theirs)).toBeLessThan(5)
  expect(finished().indexOf(first)).toBeLessThan(10)
  expect(finished().filter((id) => many.includes(id))).toEqual(many)
})

test('queue time is not run time: a job may wait longer than it may run, but not run longer', {
  timeout: 240_000,
}, async () => {
  const limitSeconds = 600
  const world = await openWorld({ env: { JOB_MAX_SECONDS: String(limitSeconds) } })
  const version = await drawVersion(world.origin, neo4j, 600)
  const [waited, ran] = [
    await world.publish({ version, fileName: 'waited', batchSize: 5_000 }),
    await world.publish({ version, fileName: 'ran', batchSize: 5_000 }),
  ]
  // A worker started both long ago and handed them back.
  const longAgo = JSON.stringify(new Date(Date.now() - 2 * limitSeconds * 1_000).toISOString())
  for (const { id } of [waited, ran]) {
    await world.redis.hset(recordKey(id), { state: 'running', attempt: '1', startedAt: longAgo })
  }
  await world.redis.hset(recordKey(ran.id), 'ranMs', String(limitSeconds * 1_000))
  await world.service.startWorker()
  expect((await waited.done)?.state).toBe('succeeded')
  const end = (await ran.done) as JobRecord
  expect([end.state, end.error]).toEqual([
    'failed',
    { status: 504, code: 'jobTimedOut', message: `the publish took longer than ${limitSeconds} seconds` },
  ])
  await mustHold(world)
})
