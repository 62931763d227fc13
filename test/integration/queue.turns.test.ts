import { randomUUID } from 'node:crypto'
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { createJobQueue, type JobPayload, type JobQueue } from '../../shared/queue/queue.ts'
import { flowTurnsKey, queueName, queuePrefix, turnKey } from '../../shared/redis/keys.ts'
import { ownDatabase } from '../support/servers/own-database.ts'

const { redis: server } = inject('stack')
let redis: Redis
let queue: JobQueue
let worker: Worker<JobPayload>
let release: () => Promise<void>
beforeEach(async () => {
  const own = await ownDatabase(server.url)
  release = own.release
  redis = new Redis(server.url, { db: own.database, maxRetriesPerRequest: null })
  queue = createJobQueue(redis)
  worker = new Worker(queueName, null, { connection: redis, prefix: queuePrefix, skipStalledCheck: true })
})
afterEach(async () => {
  await worker.close()
  await queue.close()
  redis.disconnect()
  await release()
})

const token = 'token'

/** Takes the next delivery as a worker does. @returns its job id, with the slice number; null when there is none. */
async function begin() {
  const delivery = await worker.getNextJob(token, { block: false })
  if (delivery === undefined) return null
  await queue.started(delivery.opts.priority)
  const { id, slice } = delivery.data
  return { delivery, name: slice === undefined ? id : `${id}.${slice}` }
}

async function take(count: number): Promise<string[]> {
  const names: string[] = []
  while (names.length < count) {
    const next = await begin()
    if (next === null) break
    names.push(next.name)
    await next.delivery.moveToCompleted(null, token, false)
  }
  return names
}

const someOrg = () => `org-${randomUUID()}`
async function addMany(orgName: string, name: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${name}-${index}`)
  for (const id of ids) await queue.add({ id, orgName })
  return ids
}

/** A large multi that has enqueued its slices and waits for them. */
async function addLarge(orgName: string, id: string, slices: number): Promise<string[]> {
  await queue.add({ id, orgName })
  const step = await begin()
  expect(step?.name).toBe(id)
  await queue.addSlices({ id, orgName }, [...Array(slices).keys()])
  expect(await step?.delivery.moveToWaitingChildren(token)).toBe(true)
  return Array.from({ length: slices }, (_, slice) => `${id}.${slice}`)
}

describe('the queue', () => {
  test('the queue does not put a thousand jobs of one org before the next job of another', async () => {
    const ours = await addMany(someOrg(), 'ours', 1_000)
    expect(await take(10)).toEqual(ours.slice(0, 10))
    await addMany(someOrg(), 'theirs', 2)
    expect(await take(4)).toEqual(['theirs-0', 'ours-10', 'theirs-1', 'ours-11'])
    // Directories of one org share one flow.
    const org = someOrg()
    await queue.add({ id: 'a', orgName: `${org}/a` })
    await queue.add({ id: 'b', orgName: `${org}/b` })
    const taken = await take(4)
    expect([taken.includes('a'), taken.includes('b'), taken.filter((name) => name.startsWith('ours')).length]).toEqual([
      true,
      true,
      2,
    ])
  })

  test('the queue gives another org no turns before those that have begun when an old job is retried', async () => {
    const ours = await addMany(someOrg(), 'ours', 10)
    const first = await begin()
    expect(await take(5)).toEqual(ours.slice(1, 6))
    await queue.started(first?.delivery.opts.priority)
    await addMany(someOrg(), 'theirs', 3)
    expect(await take(4)).toEqual(['theirs-0', 'ours-6', 'theirs-1', 'ours-7'])
  })

  test('the queue forgets flows whose last turn is over, although the queue is never empty', async () => {
    await addMany(someOrg(), 'waiting', 3)
    for (let org = 0; org < 20; org++) {
      await addMany(someOrg(), `org-${org}`, 2)
      await take(2)
    }
    expect(await redis.zcard(flowTurnsKey)).toBeLessThan(10)
  })

  test('the queue builds a large multi of 42 slices while hundreds of small publishes wait', async () => {
    const org = someOrg()
    const slices = await addLarge(org, 'large', 42)
    await addMany(org, 'small', 320)
    const taken = await take(1_000)
    expect(taken).toHaveLength(42 + 320 + 1)
    expect(taken.filter((name) => slices.includes(name))).toEqual(slices)
    expect(taken.indexOf('large')).toBeLessThan(2 * 42 + 2)
  })

  test('the queue gives a small publish its turn before all slices not yet started, of any org', async () => {
    const org = someOrg()
    const slices = await addLarge(org, 'large', 10)
    expect(await take(3)).toEqual(slices.slice(0, 3))
    await queue.add({ id: 'small', orgName: org })
    await queue.add({ id: 'other', orgName: someOrg() })
    expect(await take(3)).toEqual(['small', 'other', slices[3]])
    await queue.add({ id: 'again', orgName: org })
    expect(await take(2)).toEqual(['again', slices[4]])
  })

  test('the queue interleaves a smaller multi with a larger one', async () => {
    const large = await addLarge(someOrg(), 'large', 10)
    expect(await take(2)).toEqual(large.slice(0, 2))
    await addLarge(someOrg(), 'less', 2)
    expect((await take(5)).filter((name) => name.startsWith('less'))).toEqual(['less.0', 'less.1', 'less'])
  })

  test('the queue gives many large multis of one org no more turns than the one of another org', async () => {
    const org = someOrg()
    const ids = await addMany(org, 'many', 20)
    const steps = []
    for (const _ of ids) steps.push(await begin())
    for (const [at, id] of ids.entries()) {
      await queue.addSlices({ id, orgName: org }, [0, 1])
      expect(await steps[at]?.delivery.moveToWaitingChildren(token)).toBe(true)
    }
    const slices = await addLarge(someOrg(), 'one', 5)
    // The deliveries include two multis whose slices are done.
    expect((await take(12)).filter((name) => slices.includes(name))).toEqual(slices)
  })

  test('the queue redelivers delayed and returned jobs before later jobs; a restored job gets a turn', async () => {
    const org = someOrg()
    await addMany(org, 'ours', 3)
    const [first, second] = [await begin(), await begin()]
    await first?.delivery.moveToDelayed(Date.now() - 1, token)
    await second?.delivery.moveToWait(token)
    await queue.remove({ id: 'ours-2', orgName: org })
    expect(await queue.restore({ id: 'ours-2', orgName: org })).toBe(true)
    expect((await take(10)).sort()).toEqual(['ours-0', 'ours-1', 'ours-2'])
  })

  test('the queue returns the turns of removed jobs', async () => {
    const org = someOrg()
    await addMany(someOrg(), 'theirs', 10)
    for (const id of await addMany(org, 'ours', 100)) await queue.remove({ id, orgName: org })
    await queue.add({ id: 'next', orgName: org })
    expect((await take(3)).includes('next')).toBe(true)
  })

  test('the queue restarts at the first turn when no job is queued or running', async () => {
    const org = someOrg()
    await addMany(org, 'ours', 5)
    await take(5)
    expect(await redis.get(turnKey)).toBe('5')
    await addMany(org, 'again', 1)
    expect(await redis.get(turnKey)).toBeNull()
    await take(1)
    expect(await redis.get(turnKey)).toBe('1')
  })

  test('the queue delivers in order of arrival when the range of turns is exhausted', async () => {
    const [ours, theirs] = [someOrg(), someOrg()]
    await queue.add({ id: 'first', orgName: ours })
    await redis.set(turnKey, 2 ** 20 - 3)
    const names = [...(await addMany(ours, 'ours', 4)), ...(await addMany(theirs, 'theirs', 1))]
    const late = await addMany(ours, 'late', 2)
    expect(await take(10)).toEqual(['first', 'ours-0', 'theirs-0', ...names.slice(1, 4), ...late])
    expect(await take(1)).toEqual([])
  })

  test('the queue does not make slices wait for all later publishes once the range of turns is exhausted', async () => {
    await addMany(someOrg(), 'kept', 1)
    await redis.set(turnKey, 2 ** 20 - 1)
    const org = someOrg()
    await queue.add({ id: 'large', orgName: org })
    const [kept, step] = [await begin(), await begin()]
    expect([kept?.name, step?.name]).toEqual(['kept-0', 'large'])
    await queue.addSlices({ id: 'large', orgName: org }, [0, 1])
    expect(await step?.delivery.moveToWaitingChildren(token)).toBe(true)
    const late = await addMany(org, 'late', 2)
    expect((await take(10)).slice(0, 4)).toEqual(['large.0', 'large.1', ...late])
  })
})
