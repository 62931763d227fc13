import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { createJobRecords } from '../../shared/jobs/record.ts'
import { redisNow } from '../../shared/jobs/redis.ts'
import { recordKey } from '../../shared/jobs/redis-keys.ts'
import { createSliceRecords } from '../../shared/jobs/slice-record.ts'

const redis = new Redis(inject('stack').redis.url, { db: 6 })
const records = createJobRecords(redis)
const slices = createSliceRecords(redis)
afterAll(() => redis.quit())

/** How exact the times of a test are, which takes time itself. */
const slackMs = 300

async function newJob(): Promise<string> {
  const id = randomUUID()
  const names = { orgName: `org-${id}`, fileName: 'people' }
  await records.create({ id, ...names, kind: 'multi', batchSize: 5_000, force: false, subRequests: 45 })
  return id
}

/** As if the last sign of a run were so long ago. */
const pass = async (id: string, milliseconds: number) =>
  redis.hset(recordKey(id), 'tickedAt', (await redisNow(redis)) - milliseconds)

async function expectRan(id: string, milliseconds: number) {
  const { ranMs = -1 } = (await records.read(id)) ?? {}
  expect(ranMs).toBeGreaterThanOrEqual(milliseconds)
  expect(ranMs).toBeLessThan(milliseconds + slackMs)
}

describe('the run time of a job', () => {
  test('is nothing while it waits, for the first time or again', async () => {
    const id = await newJob()
    await expectRan(id, 0)
    await records.start(id)
    await records.endRun(id)
    for (const [attempt, waitedMs] of [
      [2, 3_600_000],
      [3, 2_000],
    ] as const) {
      await pass(id, waitedMs)
      await records.start(id)
      await records.progress(id, attempt, null)
      await records.endRun(id)
    }
    await expectRan(id, 0)
  })

  test('is nothing while the slices of a large multi wait for one another’s turn', async () => {
    const id = await newJob()
    await records.start(id, 'step')
    await records.endRun(id)
    for (const slice of [0, 1, 2]) {
      await pass(id, 2_000)
      await slices.start(id, slice)
      await pass(id, 300)
      await slices.endRun(id, slice)
    }
    await pass(id, 2_000)
    await records.start(id, 'step')
    await expectRan(id, 900)
  })

  test('is what its runs take, from sign to sign and to their end, also of a large multi before its slices', async () => {
    const id = await newJob()
    await records.start(id)
    await pass(id, 1_000)
    await records.progress(id, 1, null)
    await pass(id, 700)
    await records.progress(id, null, null)
    await pass(id, 500)
    await records.endRun(id)
    await expectRan(id, 2_200)
  })

  test('counts slices that are built side by side once', async () => {
    const id = await newJob()
    await records.start(id, 'step')
    await records.endRun(id)
    await slices.start(id, 0)
    await pass(id, 1_000)
    await slices.start(id, 1) // the other one's time goes on
    const made = { subRequestsDone: 1, pairs: 1, parts: 1, bytes: 1 }
    for (const slice of [0, 1]) await slices.progress(id, slice, 1, made)
    await expectRan(id, 1_000)
    await pass(id, 400)
    for (const slice of [0, 1]) await slices.endRun(id, slice)
    await expectRan(id, 1_400)
  })

  test('counts of a worker that died, or could not reach Redis, a few seconds', async () => {
    const id = await newJob()
    await records.start(id)
    await pass(id, 60_000)
    await records.progress(id, 1, null)
    await expectRan(id, 5_000)
    await pass(id, 60_000)
    await records.start(id)
    await expectRan(id, 10_000)
  })

  test('counts of a slice whose worker died a few seconds once, not for each slice that waits after it', async () => {
    const id = await newJob()
    await records.start(id, 'step')
    await records.endRun(id)
    await slices.start(id, 0)
    await slices.start(id, 1) // takes its worker with it
    await slices.endRun(id, 0)
    for (const slice of [1, 2, 0]) {
      await pass(id, 60_000)
      await slices.start(id, slice)
      await slices.endRun(id, slice)
    }
    await expectRan(id, 5_000)
    expect(await records.cancel(id)).toEqual({ state: 'cancelled', isNews: true })
  })

  test('never goes back with the clock of Redis', async () => {
    const id = await newJob()
    await records.start(id)
    await pass(id, 1_000)
    await records.progress(id, 1, null)
    await pass(id, -60_000)
    await records.progress(id, 1, null)
    await pass(id, -60_000)
    await records.start(id)
    await pass(id, 1_000)
    await records.progress(id, 2, null)
    await expectRan(id, 2_000)
  })
})
