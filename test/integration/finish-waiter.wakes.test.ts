import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { createFinishWaiter, type FinishWaiter } from '../../shared/jobs/finish-waiter.ts'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { finishedChannel } from '../../shared/redis/keys.ts'
import { finalStates, isFinished } from '../../wire/job-states.ts'

/** The signal of a client that stays. */
const unending = new AbortController().signal

const { url } = inject('stack').redis
const subscriberName = `waiter-${randomUUID()}`
const redis = new Redis(url, { db: 5 })
const elsewhere = new Redis(url, { db: 5 })
const subscriber = new Redis(url, { db: 5, connectionName: subscriberName })
const [here, worker] = [createJobRecords(redis), createJobRecords(elsewhere)]
let waiter: FinishWaiter

beforeAll(async () => {
  waiter = await createFinishWaiter(subscriber, here)
})
afterAll(() => Promise.all([redis, elsewhere, subscriber].map((connection) => connection.quit())))

const longMs = 50_000

async function queuedJob(): Promise<string> {
  const id = randomUUID()
  const names = { orgName: `org-${id}`, fileName: 'people' }
  await worker.create({
    id,
    kind: 'publish',
    ...names,
    order: orderOf({ batchSize: 5_000, force: false }),
    subRequests: 1,
  })
  return id
}

/** Waits for the job. @returns the job and the time waited. */
async function timed(id: string, milliseconds: number) {
  const start = performance.now()
  const job = await waiter.wait(id, milliseconds, unending)
  return { job, tookMs: performance.now() - start }
}

/** The subscriptions of this waiter's connection, as reported by the server. */
async function subscriptions(): Promise<string[]> {
  const clients = String(await redis.client('LIST')).split('\n')
  return clients
    .filter((client) => client.includes(`name=${subscriberName} `))
    .map((client) => / sub=\d+/.exec(client)?.[0] ?? '')
}

describe('a wait for a job', () => {
  test.each(finalStates)('a wait for a job ends when another process marks the job %s', async (state) => {
    const id = await queuedJob()
    const waiting = timed(id, longMs)
    await worker.start(id)
    await worker.finish(id, state, { generation: 1 })
    const { job, tookMs } = await waiting
    expect(job).toEqual(await here.read(id))
    expect([job?.state, job?.generation]).toEqual([state, 1])
    expect(tookMs).toBeLessThan(longMs / 5)
  })

  test('a wait for a job returns an already finished job at once', async () => {
    const id = await queuedJob()
    await worker.finish(id, 'failed', {})
    // The announcement of its end has come, so that it does not wake the wait.
    await subscriber.ping()
    const { job, tookMs } = await timed(id, longMs)
    expect(job).toEqual(await here.read(id))
    expect(tookMs).toBeLessThan(longMs / 5)
  })

  test('a wait for a job returns the current record on timeout', async () => {
    const id = await queuedJob()
    const { promise: hasStarted, resolve: started } = Promise.withResolvers<void>()
    const { read } = here
    const reading = vi.spyOn(here, 'read').mockImplementation(async (each) => {
      // However long the start takes, the record is read again only after it.
      if (reading.mock.calls.length > 1) await hasStarted
      return read(each)
    })
    onTestFinished(() => reading.mockRestore())
    const waiting = timed(id, 300)
    await worker.start(id)
    started()
    const { job, tookMs } = await waiting
    expect(job).toEqual(await here.read(id))
    expect(job?.state).toBe('running')
    expect(tookMs).toBeGreaterThanOrEqual(299)
    expect(tookMs).toBeLessThan(longMs / 5)
  })

  test('a wait for a job may have a timeout of zero', async () => {
    const id = await queuedJob()
    expect((await waiter.wait(id, 0, unending))?.state).toBe('queued')
  })

  test('a wait for a job returns null at once for an unknown job', async () => {
    const { job, tookMs } = await timed(randomUUID(), longMs)
    expect(job).toBeNull()
    expect(tookMs).toBeLessThan(longMs / 5)
  })

  test('a wait for a job is not ended by other jobs', async () => {
    const [id, other] = [await queuedJob(), await queuedJob()]
    const waiting = timed(id, 500)
    await worker.finish(other, 'succeeded', {})
    const { job, tookMs } = await waiting
    expect(job?.state).toBe('queued')
    expect(tookMs).toBeGreaterThanOrEqual(499)
  })

  test('a wait for a job does not miss a job that finishes just as the wait begins', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, queuedJob))
    const waited = ids.flatMap((id) => [waiter.wait(id, longMs, unending), worker.finish(id, 'succeeded', {})] as const)
    const jobs = (await Promise.all(waited)).filter((outcome) => typeof outcome === 'object')
    expect(jobs.map((job) => job?.id)).toEqual(ids)
    expect(jobs.every((job) => job !== null && isFinished(job))).toBe(true)
  })

  test('a wait for a job still ends after another wait for the same job timed out', async () => {
    const id = await queuedJob()
    const patient = timed(id, longMs)
    expect((await waiter.wait(id, 50, unending))?.state).toBe('queued')
    await worker.finish(id, 'succeeded', {})
    const { job, tookMs } = await patient
    expect(job?.state).toBe('succeeded')
    expect(tookMs).toBeLessThan(longMs / 5)
  })
})

test('200 concurrent waits, for one job or many, share one subscription and one timer', async () => {
  const shared = await queuedJob()
  const ids = await Promise.all(Array.from({ length: 200 }, async (_, index) => (index % 2 ? shared : queuedJob())))
  const timers = [vi.spyOn(globalThis, 'setInterval'), vi.spyOn(globalThis, 'clearInterval')]
  const waiting = ids.map((id) => timed(id, longMs))
  expect(await subscriptions()).toEqual([' sub=1'])
  expect(timers.map(({ mock }) => mock.calls.length)).toEqual([1, 0])
  await Promise.all([...new Set(ids)].map((id) => worker.finish(id, 'succeeded', {})))
  const waited = await Promise.all(waiting)
  expect(waited.map(({ job }) => [job?.id, job?.state])).toEqual(ids.map((id) => [id, 'succeeded']))
  expect(Math.max(...waited.map(({ tookMs }) => tookMs))).toBeLessThan(longMs / 5)
  expect(timers.map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  for (const timer of timers) timer.mockRestore()
})

test('releasing a waiter ends all current and later waits at once', async () => {
  const own = new Redis(url, { db: 5 })
  const stopping = await createFinishWaiter(own, here)
  const ids = await Promise.all(Array.from({ length: 20 }, queuedJob))
  const start = performance.now()
  const waiting = ids.map((id) => stopping.wait(id, longMs, unending))
  stopping.release()
  const jobs = [...(await Promise.all(waiting)), await stopping.wait(ids[0] as string, longMs, unending)]
  expect(jobs.map((job) => job?.state)).toEqual(Array(21).fill('queued'))
  expect(performance.now() - start).toBeLessThan(longMs / 5)
  await own.quit()
})

test('messages about unknown or unawaited jobs are ignored', async () => {
  const id = await queuedJob()
  const waiting = waiter.wait(id, longMs, unending)
  for (const word of ['', 'no id', randomUUID()]) await redis.publish(finishedChannel, word)
  await worker.finish(id, 'succeeded', {})
  expect((await waiting)?.state).toBe('succeeded')
})
