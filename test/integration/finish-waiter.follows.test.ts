import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, beforeEach, expect, inject, test, vi } from 'vitest'
import { createFinishWaiter, type Follower } from '../../shared/jobs/finish-waiter.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { recordKey } from '../../shared/redis/keys.ts'

const { url } = inject('stack').redis
const connections = Array.from({ length: 2 }, () => new Redis(url, { db: 5 }))
afterAll(() => Promise.all(connections.map((connection) => connection.quit())))
const [redis, subscriber] = connections as [Redis, Redis]
const stored = createJobRecords(redis)

/** The ids that were read, and whether Redis is away. */
const reads: string[] = []
let isAway = false
const records = {
  ...stored,
  async read(id: string) {
    reads.push(id)
    if (isAway) throw new Error('Connection is closed.')
    return stored.read(id)
  },
}
const waiter = await createFinishWaiter(subscriber, records)
beforeEach(() => {
  reads.length = 0
})

async function queuedJob(): Promise<string> {
  const id = randomUUID()
  const names = { orgName: `org-${id}`, fileName: 'people' }
  await stored.create({
    id,
    kind: 'publish',
    ...names,
    order: orderOf({ batchSize: 5_000, force: false }),
    subRequests: 1,
  })
  return id
}

/** A follower that records what it receives. */
function noting() {
  const told = { seen: [] as (JobRecord | null)[], ticks: 0, releases: 0 }
  const follower: Follower = {
    see: (job) => void told.seen.push(job),
    tick: () => void told.ticks++,
    release: () => void told.releases++,
  }
  return { told, follower }
}
const statesOf = ({ seen }: { seen: (JobRecord | null)[] }) => seen.map((job) => job?.state)
const eventually = (what: () => unknown) => expect.poll(what, { timeout: 20_000, interval: 20 })

test('a job is read once per tick however many follow it, with one timer, which ends with the last follower', async () => {
  const timers = [vi.spyOn(globalThis, 'setInterval'), vi.spyOn(globalThis, 'clearInterval')]
  const ids = [await queuedJob(), await queuedJob()]
  const followers = Array.from({ length: 300 }, noting)
  const leave = followers.map(({ follower }, index) => waiter.follow(ids[index % 2] as string, follower))
  await eventually(() => followers.every(({ told }) => told.seen.length > 0)).toBe(true)
  const readFirst = reads.length
  const ticks = () => followers[0]?.told.ticks as number
  const before = ticks()
  await eventually(() => ticks() - before).toBeGreaterThanOrEqual(2)
  // A tick is counted before it reads.
  const passed = ticks() - before
  for (const id of ids) {
    const count = reads.slice(readFirst).filter((each) => each === id).length
    expect([passed - 1, passed, passed + 1]).toContain(count)
  }
  // The followers of a job are shown the same object.
  expect(new Set(followers.map(({ told }) => told.seen.at(-1))).size).toBe(2)
  for (const end of leave) end()
  expect(timers.map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  for (const timer of timers) timer.mockRestore()
  expect(subscriber.listenerCount('message')).toBe(1)
})

test('the end of a job is shown when it is published, without a tick, to its followers only', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  const [id, other] = [await queuedJob(), await queuedJob()]
  const [one, two, apart] = [noting(), noting(), noting()]
  const leave = [waiter.follow(id, one.follower), waiter.follow(id, two.follower), waiter.follow(other, apart.follower)]
  vi.useRealTimers()
  const states = () => [one, two, apart].map(({ told }) => statesOf(told))
  await eventually(states).toEqual([['queued'], ['queued'], ['queued']])
  await stored.finish(id, 'succeeded', {})
  await eventually(states).toEqual([['queued', 'succeeded'], ['queued', 'succeeded'], ['queued']])
  for (const end of leave) end()
})

test('a follower that has left receives nothing more', async () => {
  const id = await queuedJob()
  const [gone, stays] = [noting(), noting()]
  waiter.follow(id, gone.follower)()
  const leave = waiter.follow(id, stays.follower)
  await eventually(() => stays.told.seen.length).toBeGreaterThan(1)
  expect(gone.told).toEqual({ seen: [], ticks: 0, releases: 0 })
  leave()
})

test('while Redis is away followers receive nothing about the job, and everything when it is back', async () => {
  const id = await queuedJob()
  const { told, follower } = noting()
  isAway = true
  const leave = waiter.follow(id, follower)
  await eventually(() => told.ticks).toBeGreaterThan(0)
  // Its message is received, but the record cannot be read.
  await stored.finish(id, 'failed', {})
  const ticks = told.ticks
  await eventually(() => told.ticks).toBeGreaterThan(ticks)
  expect(told.seen).toEqual([])
  isAway = false
  await eventually(() => statesOf(told)[0]).toBe('failed')
  leave()
})

test('a record that disappears is shown as null', async () => {
  const id = await queuedJob()
  const { told, follower } = noting()
  const leave = waiter.follow(id, follower)
  await eventually(() => told.seen.length).toBeGreaterThan(0)
  await redis.del(recordKey(id))
  await eventually(() => told.seen.at(-1)).toBeNull()
  leave()
})

test('a release notifies the followers, and later followers at once', async () => {
  const own = new Redis(url, { db: 5 })
  const stopping = await createFinishWaiter(own, records)
  const [early, late] = [noting(), noting()]
  const id = await queuedJob()
  const leave = [stopping.follow(id, early.follower)]
  stopping.release()
  leave.push(stopping.follow(id, late.follower))
  expect([early.told.releases, late.told.releases]).toEqual([1, 1])
  for (const end of leave) end()
  await own.quit()
})
