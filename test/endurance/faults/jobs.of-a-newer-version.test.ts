import { expect, inject, test } from 'vitest'
import type { RunningProcess } from '../../../dev/stack/processes.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { jobVersion } from '../../../shared/jobs/version.ts'
import { queueName, queuePrefix, recordKey } from '../../../shared/redis/keys.ts'
import { requestKey } from '../../../shared/storage/keys.ts'
import { logOf, until } from '../../support/faults/processes.ts'
import { lastingLocks } from '../../support/faults/short-times.ts'
import { mustHold } from '../../support/worlds/invariants.ts'
import { drawVersion } from '../../support/worlds/versions.ts'
import { openWorld, type World } from '../../support/worlds/world.ts'

/** The queue entry of a job. */
const entryOf = (id: string) => `${queuePrefix}:${queueName}:${id}`

async function setPayloadVersion({ redis }: World, id: string, version: number) {
  const payload = JSON.parse((await redis.hget(entryOf(id), 'data')) as string)
  await redis.hset(entryOf(id), 'data', JSON.stringify({ ...payload, version }))
}

const handedBack = (worker: RunningProcess, id: string) =>
  logOf(worker, id).some((line) => line.includes('job of a newer version') && line.includes('update this one'))

test('a worker hands back and reports jobs of a newer version, and newer workers run them', {
  timeout: 240_000,
}, async () => {
  const world = await openWorld({ times: lastingLocks })
  const { redis, client, service } = world
  const version = await drawVersion(world.origin, inject('stack').neo4j, 20)
  const [payload, record, current] = await Promise.all(
    ['payload', 'record', 'current'].map((fileName) => world.publish({ version, fileName })),
  )
  if (!payload || !record || !current) throw new Error('not published')
  await setPayloadVersion(world, payload.id, jobVersion + 1)
  await redis.hset(recordKey(record.id), 'version', String(jobVersion + 1))

  const worker = await service.startWorker()
  expect((await current.done)?.state).toBe('succeeded')
  for (const { id, location } of [payload, record]) {
    await until(`${id} is handed back`, () => handedBack(worker, id))
    expect((await client.get<JobRecord>(location)).body).toMatchObject({ state: 'queued', attempt: 0, error: null })
  }

  // Stands in for a newer worker: the jobs get the version that this worker knows.
  await setPayloadVersion(world, payload.id, jobVersion)
  await redis.hset(recordKey(record.id), 'version', String(jobVersion))
  for (const { done } of [payload, record]) expect(await done).toMatchObject({ state: 'succeeded', attempt: 1 })
  await mustHold(world)
})

/** Renames a field in the last sub-request of a stored request; names of equal length keep the slices where they are. */
async function renameField({ storage: { store }, org }: World, id: string, from: string, to: string) {
  const key = requestKey(org, id)
  const text = String(await store.get(key))
  const at = text.lastIndexOf(`"${from}":`)
  expect(at).toBeGreaterThan(0)
  await store.put(key, Buffer.from(`${text.slice(0, at)}"${to}":${text.slice(at + from.length + 3)}`))
}

test.each([
  ['a publish', 20],
  ['a slice of a large multi', 250],
])(
  'a worker hands back %s whose stored request has a field that it does not know',
  {
    timeout: 240_000,
  },
  async (_what, people) => {
    const world = await openWorld()
    const version = await drawVersion(world.origin, inject('stack').neo4j, people)
    const job = await world.publish({ version, fileName: 'newer' })
    await renameField(world, job.id, 'preventCleanup', 'preventCleanu2')
    const worker = await world.service.startWorker()
    await until('it is handed back', () => handedBack(worker, job.id))
    const { body } = await world.client.get<JobRecord>(job.location)
    expect(body).toMatchObject({ state: 'running', error: null })

    await renameField(world, job.id, 'preventCleanu2', 'preventCleanup')
    expect((await job.done)?.state).toBe('succeeded')
    await mustHold(world)
  },
)

test('jobs from before versioning are run', { timeout: 240_000 }, async () => {
  const world = await openWorld()
  const version = await drawVersion(world.origin, inject('stack').neo4j, 20)
  const job = await world.publish({ version, fileName: 'older' })
  await world.redis.hset(entryOf(job.id), 'data', JSON.stringify({ id: job.id }))
  await world.redis.hdel(recordKey(job.id), 'version')
  await world.service.startWorker()
  expect((await job.done)?.state).toBe('succeeded')
  await mustHold(world)
})
