import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import type { ListPosition } from '../../shared/jobs/job.ts'
import { eachJob } from '../../shared/jobs/job-list.ts'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { redisNow } from '../../shared/redis/connect.ts'
import { jobListKey, openJobsKey, recordKey } from '../../shared/redis/keys.ts'

const redis = new Redis(inject('stack').redis.url, { db: 6 })
const records = createJobRecords(redis)
afterAll(() => redis.quit())

// Fakes only the clock: the connection needs real timers.
const start = Date.parse('2024-02-29T12:00:00.000Z')
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: start })
})
afterEach(() => {
  vi.useRealTimers()
})

const someOrg = () => `org-${randomUUID()}`

async function create(orgName: string): Promise<string> {
  const id = randomUUID()
  const names = { orgName, fileName: `file-${id}` }
  await records.create({
    id,
    kind: 'publish',
    ...names,
    order: orderOf({ batchSize: 5_000, force: false }),
    subRequests: 1,
  })
  return id
}

async function createAt(milliseconds: number, orgName: string, count: number): Promise<string[]> {
  vi.setSystemTime(start + milliseconds)
  const ids = await Promise.all(Array.from({ length: count }, () => create(orgName)))
  return ids.sort().reverse() // within one millisecond the highest id comes first
}

async function walk(orgName: string | null, limit: number): Promise<string[]> {
  const ids: string[] = []
  for (let after: ListPosition | null = null; ; ) {
    const page = await records.list({ orgName }, after, limit)
    ids.push(...page.map(({ id }) => id))
    if (page.length < limit) return ids
    after = page.at(-1) as ListPosition
  }
}

async function idsOf(orgs: readonly (string | null)[], after: ListPosition | null = null): Promise<string[]> {
  const ids: string[] = []
  const lists = orgs.map((orgName) => ({ orgName }))
  for await (const { job } of eachJob(records, lists, { after, most: 300 })) if (job) ids.push(job.id)
  return ids
}

describe('the list of an org', () => {
  test('the list of an org has its jobs and those of its sub-directories, newest first, and no others', async () => {
    const org = someOrg()
    const orgs = [org, `${org}/a`, `${org}/a/b`, `${org}s`, `${org}/ab`]
    const ids: string[] = []
    for (const [index, each] of orgs.entries()) ids.push(...(await createAt(index, each, 1)))
    const [own, a, b, other, ab] = ids
    expect(await walk(org, 10)).toEqual([ab, b, a, own])
    expect(await walk(`${org}/a`, 10)).toEqual([b, a])
    expect(await walk(`${org}/a/b`, 10)).toEqual([b])
    expect(await walk(`${org}s`, 10)).toEqual([other])
  })

  test.each([1, 7, 100, 299, 300, 301])(
    'the list of an org is paged without gap or repeat by %i, also within one millisecond',
    async (limit) => {
      const org = someOrg()
      const [first, many, last] = [await createAt(0, org, 3), await createAt(1, org, 290), await createAt(2, org, 7)]
      expect(await walk(org, limit)).toEqual([...last, ...many, ...first])
    },
  )

  test('the list of an org keeps its cursor when newer jobs arrive between pages', async () => {
    const org = someOrg()
    const ids = await createAt(0, org, 10)
    const page = await records.list({ orgName: org }, null, 4)
    await createAt(0, org, 5)
    await createAt(1, org, 5)
    const after = page.at(-1) as ListPosition
    const rest = (await records.list({ orgName: org }, after, 100)).map(({ id }) => id)
    expect(rest.filter((id) => ids.includes(id))).toEqual(ids.slice(4))
    expect(rest.every((id) => id < after.id)).toBe(true)
  })
})

describe('several lists', () => {
  test('several lists are merged, newest first', async () => {
    const [a, b, other] = [someOrg(), someOrg(), someOrg()]
    const ids: string[] = []
    for (let at = 0; at < 30; at++) ids.unshift(...(await createAt(at, at % 3 === 0 ? a : b, 1)))
    await createAt(31, other, 1)
    expect(await idsOf([a, b])).toEqual(ids)
    expect(await idsOf([b, a], { id: ids[9] as string, createdAt: start + 20 })).toEqual(ids.slice(10))
  })

  test('several lists are merged completely when they are longer than one page', async () => {
    const [a, b] = [someOrg(), someOrg()]
    const ids = [await createAt(0, a, 150), await createAt(1, b, 150), await createAt(2, a, 150)]
    expect(await idsOf([a, b])).toEqual(ids.toReversed().flat())
    // The first page of one list reaches further back than that of the other.
    const [c, d] = [someOrg(), someOrg()]
    const others = [await createAt(0, c, 1), await createAt(1, d, 250)]
    expect(await idsOf([c, d])).toEqual(others.toReversed().flat())
  })
})

describe('a job whose record has expired', () => {
  test('a job whose record has expired is left out of the list, and removed from it', async () => {
    const org = someOrg()
    const ids = await createAt(0, org, 5)
    await redis.del(recordKey(ids[1] as string), recordKey(ids[3] as string))
    expect(await idsOf([org])).toEqual([ids[0], ids[2], ids[4]])
    expect(await redis.zcard(jobListKey(org))).toBe(3)
  })

  test('a job whose record has expired leaves every list eventually, even if the list is never read', async () => {
    const org = someOrg()
    await createAt(0, `${org}/a`, 5)
    const [id] = await createAt(31 * 24 * 3_600_000, `${org}/b`, 1)
    expect(await walk(org, 10)).toEqual([id])
    const seconds = await redis.ttl(jobListKey(`${org}/a`))
    expect(seconds).toBeGreaterThan(29 * 24 * 3_600)
    expect(seconds).toBeLessThanOrEqual(30 * 24 * 3_600)
  })
})

test('a job stays listed for thirty days, whatever is submitted after it', async () => {
  const org = someOrg()
  const [old] = await createAt(0, org, 1)
  const [recent] = await createAt(30 * 24 * 3_600_000 - 1, org, 1)
  expect(await walk(org, 10)).toEqual([recent, old])
})

describe('unfinished jobs', () => {
  test('until they finish, jobs are found by their creation time by the clock of Redis, not the process', async () => {
    const org = someOrg()
    const early = await createAt(600_000, org, 2)
    const between = await redisNow(redis)
    while ((await redisNow(redis)) === between);
    const late = await createAt(-600_000, org, 1)
    const openOf = async (time: number) =>
      (await records.openBefore(time)).filter((id) => [...early, ...late].includes(id))
    expect((await openOf(between + 1)).sort().reverse()).toEqual(early)
    expect((await openOf((await redisNow(redis)) + 1)).length).toBe(3)
    await records.finish(early[0] as string, 'failed', {})
    expect(await openOf(between + 1)).toEqual([early[1]])
  })

  test('unfinished jobs whose records are gone are removed one by one', async () => {
    const [id] = await createAt(0, someOrg(), 1)
    await records.close(id as string)
    expect(await redis.zscore(openJobsKey, id as string)).toBeNull()
  })

  test('unfinished jobs stay on the list however long they wait', async () => {
    const [id] = await createAt(0, someOrg(), 1)
    await createAt(31 * 24 * 3_600_000, someOrg(), 1)
    expect(await redis.zscore(openJobsKey, id as string)).not.toBeNull()
    expect(await redis.ttl(openJobsKey)).toBe(-1)
  })
})

test('an unreadable record hides no other job, and stays listed', async () => {
  const org = someOrg()
  const [first, spoilt, last] = await createAt(0, org, 3)
  await redis.hset(recordKey(spoilt as string), 'progress', '{')
  expect(await idsOf([org])).toEqual([first, last])
  expect(await walk(org, 10)).toEqual([first, spoilt, last])
})

test('a job of an API whose clock is far ahead leaves the earlier jobs of its org listed', async () => {
  const org = someOrg()
  vi.setSystemTime(await redisNow(redis))
  const earlier = await create(org)
  vi.setSystemTime(Date.now() + 40 * 24 * 3_600_000)
  await create(org)
  expect(await redis.zscore(jobListKey(org), earlier)).not.toBeNull()
})
