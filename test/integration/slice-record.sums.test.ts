import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { readSlices } from '../../shared/jobs/stored/slices-seen.ts'
import { recordKey, slicesKey } from '../../shared/redis/keys.ts'

const redis = new Redis(inject('stack').redis.url, { db: 5 })
const records = createJobRecords(redis)
afterAll(() => redis.quit())

/** A large multi whose first run has started. */
async function runningJob(): Promise<string> {
  const id = randomUUID()
  const names = { orgName: `org-${id}`, fileName: 'people' }
  await records.create({
    id,
    ...names,
    kind: 'multi',
    order: orderOf({ batchSize: 5_000, force: false }),
    subRequests: 45,
  })
  expect(await records.start(id)).toBe(1)
  return id
}

const far = (subRequestsDone: number) => ({ subRequestsDone, pairs: subRequestsDone * 10, parts: 1, bytes: 5_000 })

describe('the progress of a large multi', () => {
  test('the progress of a large multi is the sum of its slices', async () => {
    const id = await runningJob()
    for (const slice of [0, 2]) expect(await records.start(id, slice)).toBe(1)
    expect(await records.progress(id, 1, far(20), 0)).toBe(200)
    expect(await records.progress(id, 1, far(3), 2)).toBe(230)
    expect(await records.progress(id, 1, far(5), 2)).toBe(250)
    const { progress, attempt } = (await records.read(id)) ?? {}
    const sum = { phase: 'reading', subRequests: 45, subRequestsDone: 25, pairs: 250, parts: 2, bytes: 10_000 }
    expect([progress, attempt]).toEqual([sum, 1])
  })

  test('clients see each slice of a large multi, also those that have not begun, until it ends', async () => {
    const id = await runningJob()
    await redis.hset(recordKey(id), 'runs', 4)
    expect(await readSlices(redis, id)).toEqual([])
    for (const slice of [0, 1]) await records.start(id, slice)
    await records.progress(id, 1, far(20), 0)
    await records.endRun(id, 0)
    await records.sliceDone(id, 0)
    await records.endRun(id, 1)
    await records.start(id, 1)
    expect(await readSlices(redis, id)).toEqual([
      { slice: 0, state: 'done', attempt: 1, pairs: 200 },
      { slice: 1, state: 'running', attempt: 2, pairs: 0 },
      { slice: 2, state: 'waiting', attempt: 0, pairs: 0 },
    ])
    await records.finish(id, 'failed', {})
    expect(await readSlices(redis, id)).toEqual([])
  })

  test('the progress of a large multi keeps integers that a float could not print', async () => {
    const id = await runningJob()
    await records.start(id, 0)
    const bytes = 400_000_000_000_123
    await records.progress(id, 1, { ...far(1), bytes }, 0)
    expect((await records.read(id))?.progress.bytes).toBe(bytes)
  })

  test('the progress of a large multi restarts for a slice that is rebuilt, which is another attempt', async () => {
    const id = await runningJob()
    await records.start(id, 0)
    await records.start(id, 1)
    await records.progress(id, 1, far(20), 0)
    await records.progress(id, 1, far(7), 1)
    expect(await records.start(id, 1)).toBe(2)
    expect(await records.progress(id, 1, far(9), 1)).toBe('superseded')
    const job = await records.read(id)
    expect([job?.attempt, job?.progress.subRequestsDone, job?.progress.parts]).toEqual([2, 20, 1])
  })
})

describe('a slice', () => {
  test('a slice stops when its job is being cancelled, and does not start then', async () => {
    const id = await runningJob()
    await records.start(id, 0)
    await records.cancel(id)
    expect(await records.progress(id, 1, far(1), 0)).toBe('cancelling')
    expect(await records.start(id, 1)).toBe('cancelling')
  })

  test('a slice stops when its job has finished, and recreates none of its keys', async () => {
    const id = await runningJob()
    await records.start(id, 0)
    await records.finish(id, 'failed', { error: { status: 502, code: 'originBroke', message: 'broke off' } })
    expect(await records.progress(id, 1, far(1), 0)).toBe('superseded')
    await records.endRun(id, 0)
    expect(await records.start(id, 0)).toBe('finished')
    expect(await redis.exists(slicesKey(id))).toBe(0)
  })

  test('a slice that crashed three workers is lost; runs that ended do not count', async () => {
    const id = await runningJob()
    for (let run = 1; run <= 3; run++) {
      await records.start(id, 0)
      await records.endRun(id, 0)
    }
    for (let run = 4; run <= 6; run++) expect(await records.start(id, 0)).toBe(run)
    expect(await records.start(id, 0)).toBe('lost')
    expect(await records.start(id, 1)).toBe(1)
  })
})

describe('the runs of a large multi before and after its slices', () => {
  test('the runs around the slices start one attempt, leave the progress to the slices, and commit', async () => {
    const id = await runningJob()
    await records.start(id, 0)
    await records.start(id, 0)
    await records.progress(id, 2, far(20), 0)
    expect(await records.start(id)).toBe(2)
    expect(await records.progress(id, 2, far(0))).toBeNull()
    const job = await records.read(id)
    expect([job?.attempt, job?.progress.subRequestsDone]).toEqual([2, 20])
    const names = { id, orgName: `org-${id}`, fileName: 'people' }
    const done = { phase: 'committing', subRequests: 45, ...far(45) } as const
    const report = { identities: [], missing: { originIds: none(), relationshipIds: none() }, skipped, collapsed: 0 }
    expect(await records.beginCommit(names, done, report)).toBe(true)
    expect(await records.start(id, 1)).toBe('finished')
    expect(await redis.hget(recordKey(id), 'state')).toBe('committing')
  })
})

const none = () => ({ count: 0, first: [] })
const skipped = { nodes: 0, relationships: 0, properties: 0, cleanups: 0 }
