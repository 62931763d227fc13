import { randomBytes, randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import type { JobProgress } from '../../shared/jobs/job.ts'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { createSecrets } from '../../shared/jobs/stored/secrets.ts'
import { createReport, type Report } from '../../shared/publish/report/report.ts'
import { finishedChannel, jobListKey, openJobsKey, recordKey } from '../../shared/redis/keys.ts'
import { finalStates } from '../../wire/job-states.ts'

const redis = new Redis(inject('stack').redis.url, { db: 5 })
const records = createJobRecords(redis)
const secrets = createSecrets(redis, [{ id: 'k1', key: randomBytes(32) }])
afterAll(() => redis.quit())

const sevenDays = 7 * 24 * 3_600
const credentials = `Basic ${Buffer.from('neo4j:a fairly long password').toString('base64')}`
const orgOf = (id: string) => `org-${id}`
const namesOf = (id: string) => ({ orgName: orgOf(id), fileName: 'people' })

/** A job with credentials, running its first attempt. */
async function runningJob(id: string = randomUUID()): Promise<string> {
  const { sealedKey } = secrets.encrypt(id, [credentials])
  await records.create({
    id,
    kind: 'multi',
    ...namesOf(id),
    order: orderOf({ batchSize: 5_000, force: false }),
    subRequests: 400,
    sealedKey,
  })
  await records.start(id)
  return id
}

/** Every key that Redis holds for a job, and the kinds of those keys. */
const keysOf = async (id: string) => {
  const keys = [...(await redis.keys(`*:${id}`)), ...(await redis.keys(`*${orgOf(id)}*`))]
  return { keys, kinds: [...new Set(keys.map((key) => key.split(':')[1]))].sort() }
}

const done: JobProgress = { phase: 'done', subRequests: 400, subRequestsDone: 400, pairs: 9, parts: 2, bytes: 8_000 }
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('a job that finishes', () => {
  test('a job that finishes has its final state, finish time, and outcome', async () => {
    const [succeeded, failed] = [await runningJob(), await runningJob()]
    const before = await Promise.all([succeeded, failed].map(records.read))
    const report = createReport().read()
    const error = { status: 502, code: 'originBroke', message: 'the origin database "broke" off — ü' }
    expect(await records.finish(succeeded, 'succeeded', { generation: 12, progress: done, report })).toBe(true)
    expect(await records.finish(failed, 'failed', { error })).toBe(true)
    expect(await Promise.all([succeeded, failed].map(records.read))).toEqual([
      { ...before[0], state: 'succeeded', finishedAt: time, generation: 12, progress: done, report },
      { ...before[1], state: 'failed', finishedAt: time, error },
    ])
  })

  test.each(finalStates)('a job that finishes releases its credentials and its claim when it has %s', async (state) => {
    const id = await runningJob()
    expect((await keysOf(id)).kinds).toEqual(['claim', 'job', 'jobs', 'secret'])
    expect(await redis.zscore(openJobsKey, id)).not.toBeNull()
    await records.finish(id, state, {})
    expect((await keysOf(id)).keys.toSorted()).toEqual([recordKey(id), jobListKey(orgOf(id))])
    expect(await redis.zscore(openJobsKey, id)).toBeNull()
  })

  test('a job that finishes is kept for seven days after it finishes, and does not expire before', async () => {
    const id = await runningJob()
    expect(await redis.ttl(recordKey(id))).toBe(-1)
    await records.finish(id, 'succeeded', {})
    const seconds = await redis.ttl(recordKey(id))
    expect(seconds).toBeGreaterThan(sevenDays - 60)
    expect(seconds).toBeLessThanOrEqual(sevenDays)
  })

  test.each(['queued', 'committing'])('a job that finishes may have been %s before', async (state) => {
    const id = await runningJob()
    await redis.hset(recordKey(id), 'state', state)
    expect(await records.finish(id, 'failed', {})).toBe(true)
    expect((await records.read(id))?.state).toBe('failed')
  })

  test('a job finishes once: later calls change nothing', async () => {
    const id = await runningJob()
    await records.finish(id, 'succeeded', { generation: 3, progress: done })
    const finished = await records.read(id)
    for (const state of finalStates) {
      const error = { status: 500, code: 'internal', message: 'late' }
      expect(await records.finish(id, state, { error, generation: 4 })).toBe(false)
    }
    expect(await records.read(id)).toEqual(finished)
  })

  test('a job finishes in exactly one of the states that are set concurrently', async () => {
    const id = await runningJob()
    const states = Array.from({ length: 21 }, (_, index) => finalStates[index % 3] as (typeof finalStates)[number])
    const outcomes = await Promise.all(states.map((state) => records.finish(id, state, {})))
    expect(outcomes.filter((isFinal) => isFinal)).toEqual([true])
    expect((await records.read(id))?.state).toBe(states[outcomes.indexOf(true)])
  })

  test('a job is not failed by a call that requires that no run has begun to commit, when one has', async () => {
    const [begun, other] = [await runningJob(), await runningJob()]
    await records.beginCommit({ id: begun, ...namesOf(begun) }, done, createReport().read())
    expect(await records.finish(begun, 'failed', {}, true)).toBe(false)
    expect((await records.read(begun))?.state).toBe('committing')
    expect(await records.finish(other, 'failed', {}, true)).toBe(true)
  })

  test('a job that finishes is not recreated once its record is gone', async () => {
    const id = randomUUID()
    expect(await records.finish(id, 'failed', {})).toBe(false)
    expect((await keysOf(id)).keys).toEqual([])
  })

  test('a job that finishes is announced once, by its id', async () => {
    const subscriber = redis.duplicate()
    const [id, last] = [await runningJob(), await runningJob()]
    const heard: string[] = []
    const { promise: lastHeard, resolve } = Promise.withResolvers<void>()
    subscriber.on('message', (_channel, message) => {
      if (message === id || message === last) heard.push(message)
      if (message === last) resolve()
    })
    await subscriber.subscribe(finishedChannel)
    for (const state of finalStates) await records.finish(id, state, {})
    await records.finish(last, 'succeeded', {})
    await lastHeard
    await subscriber.quit()
    expect(heard).toEqual([id, last])
  })
})

describe('the data of one job in Redis stays under 8 KB', () => {
  const largest = { ...done, pairs: 50_000_000, parts: 10_000, bytes: 300_000_000_000 }

  async function bytesHeldWith(report: Report): Promise<number> {
    const id = await runningJob()
    for (const label of ['Person', 'Movie', 'Company', 'Country', 'Genre'])
      report.identity({ label, idProperty: 'grn' })
    expect(await records.beginCommit({ id, ...namesOf(id) }, largest, report.read())).toBe(true)
    const { keys, kinds } = await keysOf(id)
    expect(kinds).toEqual(['claim', 'job', 'jobs', 'secret'])
    const bytes = await Promise.all(keys.map((key) => redis.memory('USAGE', key, 'SAMPLES', 0)))
    return bytes.reduce<number>((sum, each) => sum + Number(each), 0)
  }

  const ids = (bytes: number) => Array.from({ length: 250 }, () => randomBytes(bytes / 2).toString('hex'))

  test('the data of one job in Redis stays under 8 KB with hundreds of missing origin ids', async () => {
    const report = createReport()
    report.missing('originIds', ids(36))
    expect(await bytesHeldWith(report)).toBeLessThan(8 * 1024)
  })

  test('the data of one job in Redis stays under 8 KB with hundreds of missing node and relationship ids', async () => {
    const report = createReport()
    report.missing('originIds', ids(36))
    report.missing('relationshipIds', ids(36))
    expect(await bytesHeldWith(report)).toBeLessThan(8 * 1024)
  })

  test('the data of one job in Redis stays under 8 KB with long missing ids', async () => {
    const report = createReport()
    report.missing('originIds', ids(200))
    expect(await bytesHeldWith(report)).toBeLessThan(8 * 1024)
  })
})
