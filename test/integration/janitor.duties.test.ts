import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { orderOf } from '../../shared/jobs/order.ts'
import { callbacksDueKey, openJobsKey, recordKey } from '../../shared/redis/keys.ts'
import { partKey } from '../../shared/storage/keys.ts'
import type { ObjectStore } from '../../shared/store/object-store.ts'
import { restoreCallbacks, restoreJobs, startJanitor, sweep } from '../../worker/janitor.ts'
import { ownWorker } from '../support/programs/own-worker.ts'

const { context, releases } = await ownWorker()

test('a hanging sweep and hanging plain files do not delay the rescue of lost jobs', async () => {
  const { promise: hangs, resolve: letGo } = Promise.withResolvers<void>()
  const begun = new Set<string>()
  const hang = (what: string) => async (): Promise<never> => {
    begun.add(what)
    await hangs
    throw new Error('let go')
  }
  const store: ObjectStore = {
    ...context.store,
    async *listLevel() {
      yield await hang('sweep')()
    },
  }
  const views = { ...context.views, staleBefore: hang('plain files') }
  startJanitor({ ...context, store, views }, releases)
  await expect.poll(() => begun.size, { timeout: 30_000 }).toBe(2)
  const id = randomUUID()
  await context.records.create({
    id,
    kind: 'publish',
    orgName: 'org',
    fileName: 'lost',
    order: orderOf({ batchSize: 1, force: false }),
    subRequests: 1,
  })
  await context.redis.zadd(openJobsKey, Date.now() - 3_600_000, id)
  await expect.poll(() => context.queue.missing([id]), { timeout: 20_000 }).toEqual([])
  letGo()
})

test('an unreadable record does not keep other jobs from being restored', async () => {
  const ids = [randomUUID(), randomUUID()]
  for (const id of ids) {
    const names = { orgName: 'org', fileName: id }
    await context.records.create({
      id,
      kind: 'publish',
      ...names,
      order: orderOf({ batchSize: 1, force: false }),
      subRequests: 1,
    })
  }
  await context.redis.hset(recordKey(ids[0] as string), 'progress', '{')
  await restoreJobs(context, Date.now() + 60_000)
  expect(await context.queue.missing(ids)).toEqual([ids[0]])
})

test('an unreadable record does not keep other jobs from calling back', async () => {
  const ids = [randomUUID(), randomUUID()] as const
  for (const [at, id] of ids.entries()) {
    const job = {
      id,
      kind: 'publish',
      orgName: 'org',
      fileName: id,
      order: orderOf({ batchSize: 1, force: false, callbackUrl: 'https://hooks.example.org/' }),
    } as const
    await context.records.create({ ...job, subRequests: 1 })
    await context.records.finish(id, 'cancelled', {})
    await context.redis.zadd(callbacksDueKey, 1_000 + at, id)
  }
  await context.redis.hset(recordKey(ids[0]), 'progress', '{')
  await restoreCallbacks(context, 2_000)
  expect(await context.callbacks.lostBefore(2_000)).toEqual([ids[0]])
})

test('an unreadable record keeps what its job has stored, and nothing else, from being swept', async () => {
  const [org, ids] = [`org-${randomUUID()}`, [randomUUID(), randomUUID()] as const]
  const keys = ids.map((id) => partKey(`${org}/f`, id, randomUUID(), 0, 1))
  for (const key of keys) await context.store.put(key, Buffer.from('{}'))
  await context.redis.hset(recordKey(ids[0]), { id: ids[0], state: 'running', progress: '{' })
  await sweep(context, Date.now() + 30 * 24 * 3_600_000, new AbortController().signal)
  const left = await Promise.all(keys.map((key) => context.store.get(key)))
  expect(left.map((bytes) => bytes !== null)).toEqual([true, false])
})

test('parts that no packet has are kept a day longer than a job may take', async () => {
  const key = partKey(`org-${randomUUID()}/f`, randomUUID(), randomUUID(), 0, 1)
  await context.store.put(key, Buffer.from('{}'))
  const kept = (context.config.limits.jobSeconds + 24 * 3_600) * 1_000
  const sweepAfter = (milliseconds: number) => sweep(context, Date.now() + milliseconds, new AbortController().signal)
  await sweepAfter(kept - 60_000)
  expect(await context.store.get(key)).not.toBeNull()
  await sweepAfter(kept + 60_000)
  expect(await context.store.get(key)).toBeNull()
})
