import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { orderOf } from '../../shared/jobs/order.ts'
import { Releases } from '../../shared/lifecycle/releases.ts'
import { dutyKey, openJobsKey, stalePlainFilesKey } from '../../shared/redis/keys.ts'
import { startJanitor } from '../../worker/janitor.ts'
import { ownWorker } from '../support/programs/own-worker.ts'

const { context } = await ownWorker()
const { redis } = context

const hourMs = 3_600_000

test('a janitor whose lock has passed to another worker neither prolongs nor releases it', async () => {
  const begun = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<string[]>()
  const staleBefore = () => {
    begun.resolve()
    return finish.promise
  }
  const janitor = new Releases(context.log)
  startJanitor({ ...context, views: { ...context.views, staleBefore } }, janitor)
  await begun.promise
  await redis.set(dutyKey('plainFiles'), 'another worker', 'PX', hourMs)
  // Longer than the interval at which a janitor prolongs its lock.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(await redis.pttl(dutyKey('plainFiles'))).toBeGreaterThan(hourMs / 2)
  finish.resolve([])
  await janitor.dispose()
  expect(await redis.get(dutyKey('plainFiles'))).toBe('another worker')
  await redis.del(dutyKey('plainFiles'))
})

test('a janitor leaves jobs and plain files alone that are younger than a minute', async () => {
  const [oldJob, youngJob] = [randomUUID(), randomUUID()]
  for (const id of [oldJob, youngJob]) {
    const names = { orgName: 'org', fileName: id }
    await context.records.create({
      id,
      kind: 'publish',
      ...names,
      order: orderOf({ batchSize: 1, force: false }),
      subRequests: 1,
    })
  }
  await redis.zadd(openJobsKey, Date.now() - hourMs, oldJob)
  await redis.zadd(stalePlainFilesKey, Date.now() - hourMs, 'org/old', Date.now(), 'org/young')
  const janitor = new Releases(context.log)
  startJanitor(context, janitor)
  await expect.poll(() => context.queue.missing([oldJob]), { timeout: 20_000 }).toEqual([])
  await expect.poll(() => redis.zscore(stalePlainFilesKey, 'org/old'), { timeout: 20_000 }).toBeNull()
  await janitor.dispose()
  expect(await context.queue.missing([youngJob])).toEqual([youngJob])
  expect(await redis.zrange(stalePlainFilesKey, '0', '-1')).toEqual(['org/young'])
})
