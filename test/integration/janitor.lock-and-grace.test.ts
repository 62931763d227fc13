import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, expect, inject, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import { readConfig } from '../../shared/config/config.ts'
import { dutyKey, openJobsKey, stalePlainFilesKey } from '../../shared/jobs/redis-keys.ts'
import { Releases } from '../../shared/lifecycle/releases.ts'
import { createWorkerContext } from '../../worker/context.ts'
import { startJanitor } from '../../worker/janitor.ts'
import { databaseOfFile } from '../support/own-service.ts'

const config = readConfig('worker', {
  ...inject('service').env,
  REDIS_URL: `${inject('stack').redis.url.replace(/\/\d*$/, '')}/${await databaseOfFile()}`,
  S3_BUCKET: uniqueName('duties'),
  JANITOR_SECONDS: '1',
})
const log = pino({ level: 'silent' })
const releases = new Releases(log)
const context = await createWorkerContext(config, log, releases)
const { redis } = context
afterAll(() => releases.dispose())

const hourMs = 3_600_000

test('a janitor whose lock has passed to another worker neither prolongs nor releases it', async () => {
  const begun = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<string[]>()
  const staleBefore = () => {
    begun.resolve()
    return finish.promise
  }
  const janitor = new Releases(log)
  startJanitor({ ...context, plainFiles: { ...context.plainFiles, staleBefore } }, janitor)
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
    await context.records.create({ id, kind: 'publish', ...names, batchSize: 1, force: false, subRequests: 1 })
  }
  await redis.zadd(openJobsKey, Date.now() - hourMs, oldJob)
  await redis.zadd(stalePlainFilesKey, Date.now() - hourMs, 'org/old', Date.now(), 'org/young')
  const janitor = new Releases(log)
  startJanitor(context, janitor)
  await expect.poll(() => context.queue.missing([oldJob]), { timeout: 20_000 }).toEqual([])
  await expect.poll(() => redis.zscore(stalePlainFilesKey, 'org/old'), { timeout: 20_000 }).toBeNull()
  await janitor.dispose()
  expect(await context.queue.missing([youngJob])).toEqual([youngJob])
  expect(await redis.zrange(stalePlainFilesKey, '0', '-1')).toEqual(['org/young'])
})
