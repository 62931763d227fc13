import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest'
import type { NewJob } from '../../shared/jobs/create-job.ts'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { openJobsKey, openRunsKey, recordKey, secretKeyOf } from '../../shared/redis/keys.ts'
import { finalStates } from '../../wire/job-states.ts'
import { ownDatabase } from '../support/servers/own-database.ts'

const { redis: server } = inject('stack')
const { database, release } = await ownDatabase(server.url)
const redis = new Redis(server.url, { db: database })
const records = createJobRecords(redis)
afterAll(async () => {
  await release()
  redis.disconnect()
})
beforeEach(() => redis.flushdb())

const openRuns = async (tenant = '') => Number(await redis.hget(openRunsKey, tenant))

const job = (given: Partial<NewJob> = {}): NewJob => {
  const id = randomUUID()
  const names = { orgName: `org-${id}`, fileName: 'people' }
  return { id, kind: 'multi', ...names, order: orderOf({ batchSize: 5_000, force: false }), subRequests: 3, ...given }
}
const created = async (given: Partial<NewJob> = {}) => {
  const one = job(given)
  expect(await records.create(one)).toEqual({ outcome: 'created' })
  return one.id
}

describe('the runs of open jobs', () => {
  test('open runs of one org leave room for others: each may open runs while it has fewer than are free', async () => {
    const limited = (orgName: string, runs = 1) =>
      records.create(job({ orgName, fileName: randomUUID(), runs, openRunsLimit: 16 }))
    const opened = async (orgName: string) => {
      for (let count = 0; ; count++) {
        const { outcome } = await limited(orgName)
        if (outcome !== 'created') return [count, outcome]
      }
    }
    expect(await opened('first')).toEqual([8, 'orgQueueFull'])
    expect(await records.openRuns.refusal('first/below', 16)).toBe('orgQueueFull')
    expect(await opened('second/below')).toEqual([4, 'orgQueueFull'])
    expect(await opened('third')).toEqual([2, 'orgQueueFull'])
    expect(await records.openRuns.refusal('fourth', 16)).toBeNull()
    expect(await limited('fourth', 501)).toEqual({ outcome: 'created' })
    expect(await limited('fifth')).toEqual({ outcome: 'queueFull' })
    expect(await Promise.all(['', 'first', 'second', 'fourth'].map(openRuns))).toEqual([515, 8, 4, 501])
  })

  test('a selection adds a run for each slice once, after which runs of the job are no attempts and reset nothing', async () => {
    const id = await created({ orgName: 'acme/below', subRequests: 1 })
    await records.start(id)
    await Promise.all([records.addRuns(id, 3), records.addRuns(id, 3)])
    expect(await Promise.all([openRuns(), openRuns('acme')])).toEqual([4, 4])
    const made = { subRequestsDone: 0, pairs: 70, parts: 2, bytes: 900 }
    expect([await records.start(id, 2), await records.progress(id, 1, made, 2)]).toEqual([1, 70])
    // The run that has listed the nodes, and a later one: neither stops the other, or counts what slices build.
    expect([await records.start(id), await records.progress(id, 1, { ...made, pairs: 0 })]).toEqual([1, null])
    expect((await records.read(id))?.progress.pairs).toBe(70)
    await records.sliceDone(id, 2)
    expect(await Promise.all([openRuns(), openRuns('acme')])).toEqual([3, 3])
    await records.finish(id, 'succeeded', {})
    expect(await openRuns()).toBe(0)
    await records.addRuns(id, 3)
    expect(await openRuns()).toBe(0)
  })

  test('open runs become fewer as the slices of a large multi are built, each once', async () => {
    const id = await created({ orgName: 'acme/below', runs: 4 })
    await records.start(id)
    for (const slice of [0, 1, 1]) await records.sliceDone(id, slice)
    expect(await Promise.all([openRuns(), openRuns('acme')])).toEqual([2, 2])
    await created({ orgName: 'other' })
    await records.finish(id, 'succeeded', {})
    await records.sliceDone(id, 2)
    expect(await redis.hgetall(openRunsKey)).toEqual({ '': '1', other: '1' })
  })

  test('open runs grow with each created job, once even if it is created twice, and shrink when it ends', async () => {
    const [large, small] = [job({ runs: 501 }), job()]
    for (const one of [large, small, large]) await records.create(one)
    expect(await openRuns()).toBe(502)
    await records.finish(large.id, 'failed', {})
    await records.finish(large.id, 'failed', {})
    expect(await openRuns()).toBe(1)
    await records.withdraw(small.id, { status: 503, code: 'queueAway', message: '' })
    expect(await openRuns()).toBe(0)
  })

  test.each(finalStates)('open runs exclude the runs of a job that has %s', async (state) => {
    const [id] = [await created({ runs: 7 }), await created({ runs: 3 })]
    await records.start(id)
    await records.finish(id, state, {})
    expect(await openRuns()).toBe(3)
  })

  test('open runs limit what is created concurrently; the last job accepted may be a large multi', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => records.create(job({ runs: 4, openRunsLimit: 10 }))),
    )
    expect(outcomes.filter(({ outcome }) => outcome === 'created')).toHaveLength(3)
    expect(outcomes.filter(({ outcome }) => outcome === 'queueFull')).toHaveLength(17)
    expect(await openRuns()).toBe(12)
  })

  test('open runs can be recounted, and restart from zero when no job is open', async () => {
    const ids = [await created({ runs: 7 }), await created({ runs: 3 }), await created()]
    await redis.hset(openRunsKey, '', 1_000)
    await redis.del(recordKey(ids[2] as string))
    await records.openRuns.recount()
    expect(await openRuns()).toBe(10)
    await redis.hset(openRunsKey, '', 1_000)
    await redis.zrem(openJobsKey, ids[2] as string)
    for (const id of ids) await records.finish(id, 'succeeded', {})
    expect(await openRuns()).toBe(0)
  })
})

test('a job and its sealed key are created atomically, and the key does not expire while the job waits', async () => {
  const id = await created({ sealedKey: 'sealed' })
  expect(await redis.get(secretKeyOf(id))).toBe('sealed')
  expect(await redis.ttl(secretKeyOf(id))).toBe(-1)
  const { orgName, fileName } = (await records.read(id)) ?? {}
  const rival = job({ orgName, fileName, sealedKey: 'other' } as Partial<NewJob>)
  expect(await records.create(rival)).toEqual({ outcome: 'nameInUse', holder: id })
  expect(await redis.exists(secretKeyOf(rival.id))).toBe(0)
})

test('the sealed key is removed with its job, also with a job whose record is lost', async () => {
  for (const state of ['succeeded', 'failed', 'cancelled'] as const) {
    const id = await created({ sealedKey: 'sealed' })
    await records.finish(id, state, {})
    expect([state, await redis.exists(secretKeyOf(id))]).toEqual([state, 0])
  }
  const lost = await created({ sealedKey: 'sealed' })
  await redis.del(recordKey(lost))
  await records.close(lost)
  expect(await redis.exists(secretKeyOf(lost))).toBe(0)
})

describe('an idempotency key', () => {
  const keyed = (key: string) => ({ idempotency: { key, fingerprint: 'k1.print' } })

  test.each([
    [500, 'secretsGone', true],
    [500, 'workerLost', true],
    [500, 'requestGone', true],
    [503, 'storeAway', true],
    [503, 'queueAway', true],
    [502, 'originUnreachable', false],
    [504, 'jobTimedOut', false],
    [422, 'unpublishable', false],
  ])('an idempotency key of a job that failed with %d %s makes a new job: %s', async (status, code, makesNew) => {
    const id = await created(keyed('key'))
    expect(await records.findByIdempotencyKey('key')).toMatchObject({ id })
    await records.finish(id, 'failed', { error: { status, code, message: 'it failed' } })
    expect(await records.findByIdempotencyKey('key')).toEqual(makesNew ? null : { id, fingerprint: 'k1.print' })
    const again = job(keyed('key'))
    expect(await records.create(again)).toMatchObject(makesNew ? { outcome: 'created' } : { outcome: 'duplicate', id })
    expect((await records.findByIdempotencyKey('key'))?.id).toBe(makesNew ? again.id : id)
  })

  test('an idempotency key of a job whose record is gone makes a new job; of a cancelled one it does not', async () => {
    const [gone, cancelled] = [await created(keyed('gone')), await created(keyed('cancelled'))]
    await redis.del(recordKey(gone))
    await records.finish(cancelled, 'cancelled', {})
    expect([await records.findByIdempotencyKey('gone'), (await records.findByIdempotencyKey('cancelled'))?.id]).toEqual(
      [null, cancelled],
    )
  })
})

describe('a submission can be withdrawn', () => {
  const error = { status: 503, code: 'queueAway', message: 'the job queue does not answer; try again later' }

  test('a submission can be withdrawn before a worker has started it', async () => {
    const id = await created({ sealedKey: 'sealed' })
    expect(await records.withdraw(id, error)).toBe('queued')
    expect(await records.read(id)).toMatchObject({ state: 'failed', error })
    expect(await redis.exists(secretKeyOf(id))).toBe(0)
    expect(await records.withdraw(id, error)).toBe('failed')
    expect(await records.withdraw(randomUUID(), error)).toBeNull()
  })

  test('a submission cannot be withdrawn after a worker has started it: the job continues', async () => {
    const id = await created()
    await records.start(id)
    const before = await records.read(id)
    expect(await records.withdraw(id, error)).toBe('running')
    expect(await records.read(id)).toEqual(before)
  })
})
