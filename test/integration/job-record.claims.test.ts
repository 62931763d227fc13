import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import type { NewJob } from '../../shared/jobs/create-job.ts'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { jobVersion } from '../../shared/jobs/version.ts'
import { recordKey } from '../../shared/redis/keys.ts'

const redis = new Redis(inject('stack').redis.url, { db: 5 })
const records = createJobRecords(redis)
afterAll(() => redis.quit())

const job = (given: Partial<NewJob> = {}): NewJob => ({
  id: randomUUID(),
  kind: 'publish',
  orgName: `org-${randomUUID()}`,
  fileName: 'people',
  order: orderOf({ batchSize: 5_000, force: false }),
  subRequests: 3,
  ...given,
})

/** Another job for the same packet. */
const rivalOf = ({ orgName, fileName }: NewJob, given: Partial<NewJob> = {}) => job({ orgName, fileName, ...given })

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('a job', () => {
  test('a job is created queued, with its given fields and no progress', async () => {
    const created = job({ kind: 'multi', fileName: 'ü "people"/{1}', order: orderOf({ batchSize: 7, force: true }) })
    const sender = { by: 'someone', requestId: 'request-1', traceparent: null }
    expect(await records.create({ ...created, sender })).toEqual({ outcome: 'created' })
    const { subRequests, ...given } = created
    expect(await records.read(created.id)).toEqual({
      ...given,
      ...sender,
      state: 'queued',
      createdAt: time,
      startedAt: null,
      finishedAt: null,
      attempt: 0,
      progress: { phase: 'queued', subRequests, subRequestsDone: 0, pairs: 0, parts: 0, bytes: 0 },
      report: null,
      error: null,
      generation: null,
      packet: null,
      cancelling: false,
      begun: false,
      ranMs: 0,
      callback: null,
      paused: null,
      waiting: null,
      failures: [],
      callbackRounds: 0,
      expiresAt: null,
      version: jobVersion,
    })
  })

  test('a job is null if it was never created', async () => {
    expect(await records.read(randomUUID())).toBeNull()
  })

  test('a job may be created again when the first answer was lost, without conflict with itself', async () => {
    const created = job()
    await records.create(created)
    const before = await records.read(created.id)
    expect(await records.create(created)).toEqual({ outcome: 'created' })
    expect(await records.read(created.id)).toEqual(before)
  })
})

describe('the name of an unfinished job', () => {
  test.each(['queued', 'running', 'committing'])(
    'the name of an unfinished job is held while the job is %s, and a rival is not created',
    async (state) => {
      const first = job()
      await records.create(first)
      await redis.hset(recordKey(first.id), 'state', state)
      expect(await records.holder(first.orgName, first.fileName)).toBe(first.id)
      const rival = rivalOf(first)
      expect(await records.create(rival)).toEqual({ outcome: 'nameInUse', holder: first.id })
      expect(await records.read(rival.id)).toBeNull()
    },
  )

  test.each(['succeeded', 'failed', 'cancelled'] as const)(
    'the name of an unfinished job is free once the job has %s',
    async (state) => {
      const first = job()
      await records.create(first)
      await records.finish(first.id, state, {})
      expect(await records.holder(first.orgName, first.fileName)).toBeNull()
      expect(await records.create(rivalOf(first))).toEqual({ outcome: 'created' })
    },
  )

  test("the name of an unfinished job is free once the job's record is gone", async () => {
    const first = job()
    await records.create(first)
    await redis.del(recordKey(first.id))
    expect(await records.holder(first.orgName, first.fileName)).toBeNull()
    const rival = rivalOf(first)
    expect(await records.create(rival)).toEqual({ outcome: 'created' })
    expect(await records.create(rivalOf(first))).toEqual({ outcome: 'nameInUse', holder: rival.id })
  })

  test('the name of a job is free once the job has finished, even if its claim was never released', async () => {
    const first = job()
    await records.create(first)
    await redis.hset(recordKey(first.id), 'state', 'succeeded')
    expect(await records.holder(first.orgName, first.fileName)).toBeNull()
    const rival = rivalOf(first)
    expect(await records.create(rival)).toEqual({ outcome: 'created' })
    expect(await records.create(rivalOf(first))).toEqual({ outcome: 'nameInUse', holder: rival.id })
  })

  test('the name of an unfinished job is the same whether given by the org or by its sub-org', async () => {
    const first = job({ fileName: 'sub/people' })
    await records.create(first)
    const rival = job({ orgName: `${first.orgName}/sub`, fileName: 'people' })
    expect(await records.create(rival)).toEqual({ outcome: 'nameInUse', holder: first.id })
  })

  test('the name of an unfinished job does not hold any other name', async () => {
    const first = job()
    await records.create(first)
    for (const fileName of ['people2', 'peopl', 'people/more', 'People']) {
      expect(await records.create(rivalOf(first, { fileName }))).toEqual({ outcome: 'created' })
    }
    expect(await records.create(job())).toEqual({ outcome: 'created' })
  })

  test('the name of an unfinished job does not block a job with force, and stays with its holder', async () => {
    const first = job()
    await records.create(first)
    const forced = rivalOf(first, { order: orderOf({ batchSize: 5_000, force: true }) })
    expect(await records.create(forced)).toEqual({ outcome: 'created' })
    expect(await records.create(rivalOf(first))).toEqual({ outcome: 'nameInUse', holder: first.id })
    await records.finish(forced.id, 'succeeded', {})
    expect(await records.create(rivalOf(first))).toEqual({ outcome: 'nameInUse', holder: first.id })
    await records.finish(first.id, 'failed', {})
    expect(await records.create(rivalOf(first))).toEqual({ outcome: 'created' })
  })

  test('the name of a job goes to exactly one of twenty concurrent claims; the rest learn the holder', async () => {
    const first = job()
    const rivals = Array.from({ length: 20 }, () => rivalOf(first))
    const answers = await Promise.all(rivals.map(records.create))
    const winner = rivals[answers.findIndex(({ outcome }) => outcome === 'created')]
    const held = { outcome: 'nameInUse', holder: winner?.id }
    expect(answers).toEqual(rivals.map(({ id }) => (id === winner?.id ? { outcome: 'created' } : held)))
    const created = await Promise.all(rivals.map(({ id }) => records.read(id)))
    expect(created.filter((record) => record !== null).map(({ id }) => id)).toEqual([winner?.id])
  })
})
