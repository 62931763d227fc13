import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { redisNow } from '../../shared/redis/connect.ts'
import { recordKey } from '../../shared/redis/keys.ts'

const redis = new Redis(inject('stack').redis.url, { db: 6 })
const records = createJobRecords(redis)
afterAll(() => redis.quit())

const nothing = { subRequestsDone: 0, pairs: 0, parts: 0, bytes: 0 }

/** When each job was created. The time until the test reads the job may count as run time too. */
const createdAt = new Map<string, number>()

async function newJob(): Promise<string> {
  const id = randomUUID()
  const names = { orgName: `org-${id}`, fileName: 'people' }
  createdAt.set(id, performance.now())
  await records.create({
    id,
    ...names,
    kind: 'multi',
    order: orderOf({ batchSize: 5_000, force: false }),
    subRequests: 45,
  })
  return id
}

/** Moves the last heartbeat of a run into the past. */
const pass = async (id: string, milliseconds: number) =>
  redis.hset(recordKey(id), 'tickedAt', (await redisNow(redis)) - milliseconds)

async function expectRan(id: string, milliseconds: number) {
  const { ranMs = -1 } = (await records.read(id)) ?? {}
  expect(ranMs).toBeGreaterThanOrEqual(milliseconds)
  const slackMs = Math.ceil(performance.now() - (createdAt.get(id) as number)) + 1
  expect(ranMs).toBeLessThanOrEqual(milliseconds + slackMs)
}

describe('the run time of a job', () => {
  test('the run time of a job excludes waiting, for the first run or a later one', async () => {
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
      await records.progress(id, attempt, nothing)
      await records.endRun(id)
    }
    await expectRan(id, 0)
  })

  test('the run time of a job excludes the time between slices of a large multi', async () => {
    const id = await newJob()
    await records.start(id)
    await records.endRun(id)
    for (const slice of [0, 1, 2]) {
      await pass(id, 2_000)
      await records.start(id, slice)
      await pass(id, 300)
      await records.endRun(id, slice)
    }
    await pass(id, 2_000)
    await records.start(id)
    await expectRan(id, 900)
  })

  test('the run time of a job sums the time between heartbeats to the end of runs, also before slices', async () => {
    const id = await newJob()
    await records.start(id)
    await pass(id, 1_000)
    await records.progress(id, 1, nothing)
    await pass(id, 700)
    await records.progress(id, 1, nothing)
    await pass(id, 500)
    await records.endRun(id)
    await expectRan(id, 2_200)
  })

  test('the run time of a job counts slices that are built concurrently once', async () => {
    const id = await newJob()
    await records.start(id)
    await records.endRun(id)
    await records.start(id, 0)
    await pass(id, 1_000)
    await records.start(id, 1) // slice 0 is still running
    const made = { subRequestsDone: 1, pairs: 1, parts: 1, bytes: 1 }
    for (const slice of [0, 1]) await records.progress(id, 1, made, slice)
    await expectRan(id, 1_000)
    await pass(id, 400)
    for (const slice of [0, 1]) await records.endRun(id, slice)
    await expectRan(id, 1_400)
  })

  test('the run time of a job counts only a few seconds of a worker that died or could not reach Redis', async () => {
    const id = await newJob()
    await records.start(id)
    await pass(id, 60_000)
    await records.progress(id, 1, nothing)
    await expectRan(id, 5_000)
    await pass(id, 60_000)
    await records.start(id)
    await expectRan(id, 10_000)
  })

  test('the run time of a job counts a few seconds once, not for each slice, after a worker died', async () => {
    const id = await newJob()
    await records.start(id)
    await records.endRun(id)
    await records.start(id, 0)
    await records.start(id, 1) // its worker dies
    await records.endRun(id, 0)
    for (const slice of [1, 2, 0]) {
      await pass(id, 60_000)
      await records.start(id, slice)
      await records.endRun(id, slice)
    }
    await expectRan(id, 5_000)
    expect(await records.cancel(id)).toEqual({ state: 'cancelled', isCancelledNow: true })
  })

  test('a job runs while a slice is built, even after two slices that were silent for long have ended', async () => {
    const id = await newJob()
    await records.start(id)
    await records.endRun(id)
    for (const slice of [0, 1]) await records.start(id, slice)
    await pass(id, 60_000)
    await records.start(id, 2)
    for (const slice of [0, 1, 2]) await records.endRun(id, slice)
    await records.start(id, 0)
    expect(await records.cancel(id)).toEqual({ state: 'running', isCancelledNow: false })
  })

  test('the run time of a job never decreases when the clock of Redis goes back', async () => {
    const id = await newJob()
    await records.start(id)
    await pass(id, 1_000)
    await records.progress(id, 1, nothing)
    await pass(id, -60_000)
    await records.progress(id, 1, nothing)
    await pass(id, -60_000)
    await records.start(id)
    await pass(id, 1_000)
    await records.progress(id, 2, nothing)
    await expectRan(id, 2_000)
  })
})
