import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { orderOf } from '../../shared/jobs/order.ts'
import { createFleet } from '../../shared/queue/fleet.ts'
import { queueMetaKey } from '../../shared/queue/pause.ts'
import { queueKey } from '../../shared/redis/keys.ts'
import { ownJobs } from '../support/jobs/own-jobs.ts'
import { databaseOfFile } from '../support/programs/own-service.ts'

const { redis: server } = inject('stack')
const { redis, records } = ownJobs(`${server.url.replace(/\/\d*$/, '')}/${await databaseOfFile()}`)

/** Creates jobs of an org, each of which takes `runs`. */
async function open(orgName: string, jobs: number, runs = 1): Promise<string[]> {
  const ids = Array.from({ length: jobs }, () => randomUUID())
  for (const id of ids) {
    const names = { orgName, fileName: id }
    await records.create({
      id,
      kind: 'publish',
      ...names,
      order: orderOf({ batchSize: 1, force: false }),
      subRequests: 1,
      runs,
    })
  }
  return ids
}

test('an org waits for a slot while it has more open runs than workers hold, wherever the queue has them', async () => {
  const fleet = createFleet(redis, 4)
  await open('many/sub', 200)
  expect(await fleet.report({ many: 4 })).toBeNull()
  expect(await fleet.mayStart('many', { many: 3 })).toBe(true)
  const [only] = await open('late', 1)
  expect(await fleet.report({ many: 4 })).toBe('many')
  expect(await fleet.mayStart('many', { many: 3 })).toBe(false)
  expect(await fleet.mayStart('late', { many: 3 })).toBe(true)
  expect(await fleet.report({ many: 3, late: 1 })).toBeNull()
  expect(await fleet.mayStart('many', { many: 2, late: 1 })).toBe(true)
  await records.finish(only as string, 'succeeded', {})
  expect(await fleet.report({ many: 4 })).toBeNull()
  await redis.flushdb()
})

test('a large multi that waits for its slices, all of which run, waits for no slot', async () => {
  const fleet = createFleet(redis, 4)
  await open('many', 200)
  const [large] = await open('large', 1, 2)
  expect(await fleet.mayStart('many', { many: 2, large: 1 })).toBe(false)
  await redis.zadd(queueKey('waiting-children'), 1, large as string)
  expect(await fleet.mayStart('many', { many: 2, large: 1 })).toBe(true)
  await open('large', 1)
  expect(await fleet.mayStart('many', { many: 2, large: 1 })).toBe(false)
  await redis.flushdb()
})

test('while the queue is paused no run is handed back, because no worker could take the one that waits', async () => {
  const fleet = createFleet(redis, 4)
  await open('many', 200)
  await open('late', 1)
  expect(await fleet.report({ many: 4 })).toBe('many')
  await redis.hset(queueMetaKey, 'paused', 1)
  expect(await fleet.report({ many: 4 })).toBeNull()
  await redis.flushdb()
})
