import { randomBytes, randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { submit } from '../../api/submission/submit.ts'
import { readConfig } from '../../shared/config/config.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { callbackDue } from '../../shared/jobs/create-job.ts'
import { idempotencyOf } from '../../shared/jobs/idempotency.ts'
import type { Submission } from '../../shared/jobs/job.ts'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { createSecrets } from '../../shared/jobs/stored/secrets.ts'
import { readRequests } from '../../shared/jobs/stored/stored-request.ts'
import { callbackQueueName, createCallbacks } from '../../shared/queue/callbacks.ts'
import { createJobQueue } from '../../shared/queue/queue.ts'
import { type SubmitContext, submitJob } from '../../shared/queue/submit-job.ts'
import { callbacksDueKey, openRunsKey, queuePrefix, recordKey } from '../../shared/redis/keys.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { keysBelow } from '../support/storage/stored-packets.ts'

const config = readConfig('worker', inject('service').env)
const redis = new Redis(inject('stack').redis.url, { db: 4, maxRetriesPerRequest: null })
const storage = await openTestStorage()
const secretKeys = [{ id: 'k1', key: randomBytes(32) }]
const whole: SubmitContext = {
  store: storage.store,
  records: createJobRecords(redis),
  secrets: createSecrets(redis, secretKeys),
  queue: createJobQueue(redis),
  callbacks: createCallbacks(redis),
  openRunsLimit: 1_000_000,
  secretKeys,
}
afterAll(async () => {
  await Promise.all([whole.queue.close(), whole.callbacks.close()])
  await redis.quit()
})

const away = () => Promise.reject(new Error('Connection is closed.'))
const credentials = `Basic ${btoa('neo4j:password')}`
const someSubmission = (): Submission => ({
  kind: 'publish',
  orgName: `org-${randomUUID()}`,
  fileName: 'people',
  batchSize: 5_000,
  force: false,
  requests: [{ dbUrl: 'bolt://db:7687', credentials, mappedIndices: {}, originIds: ['p1'] }],
})

/** What Redis and the store still hold of a submission, by kind. */
async function leftOf({ orgName }: Submission) {
  const keys = [...(await redis.keys(`*${orgName}*`)), ...(await keysBelow(storage, `${orgName}/`))]
  const ids = await redis.zrange(`packets:jobs:${orgName}`, '0', '-1')
  const jobs = await Promise.all(ids.map((id) => whole.records.read(id)))
  const secrets = await Promise.all(ids.map((id) => redis.exists(`packets:secret:${id}`)))
  const queued = await Promise.all(ids.map((id) => redis.exists(`packets:queue:publish:${id}`)))
  const held = keys.filter((key) => !key.startsWith('packets:jobs:'))
  return { states: jobs.map((job) => job?.state), held, secrets, queued }
}

const nothing = { states: [], held: [], secrets: [], queued: [] }
const failedRecord = { states: ['failed'], held: [], secrets: [0], queued: [0] }

describe('a submission leaves', () => {
  test('a submission leaves all that its job needs when it succeeds', async () => {
    const submission = someSubmission()
    const { id, replayed } = await submitJob(whole, submission, undefined)
    expect(replayed).toBe(false)
    const { states, held, secrets, queued } = await leftOf(submission)
    expect([states, held.length, secrets, queued]).toEqual([['queued'], 2, [1], [1]]) // its claim and its request
    const job = await whole.records.read(id)
    expect(job && (await readRequests(whole, job)).requests).toEqual(submission.requests)
  })

  test.each<[string, string, Partial<SubmitContext>, object]>([
    [
      'the store is away',
      'storeAway',
      { store: { ...whole.store, put: () => Promise.reject(errors.storeAway()) } },
      nothing,
    ],
    ['the queue is full', 'queueFull', { openRunsLimit: 0 }, nothing],
    [
      'what is open cannot be counted',
      'queueAway',
      { records: { ...whole.records, openRuns: { ...whole.records.openRuns, refusal: away } } },
      nothing,
    ],
    ['the record is not created', 'queueAway', { records: { ...whole.records, create: away } }, nothing],
    ['the id is not queued', 'queueAway', { queue: { ...whole.queue, add: away } }, failedRecord],
  ])('a submission leaves nothing to run when %s, and its key can be used again', async (_when, code, broken, left) => {
    const submission = someSubmission()
    const idempotency = await idempotencyOf(secretKeys, 'client', randomUUID(), submission)
    const outcome = submitJob({ ...whole, ...broken }, submission, idempotency)
    await expect(outcome).rejects.toMatchObject({ status: 503, code, headers: { 'Retry-After': '5' } })
    expect(await leftOf(submission)).toEqual(left)
    expect(await whole.records.findByIdempotencyKey(idempotency.key)).toBeNull()
    expect(await submitJob(whole, submission, idempotency)).toMatchObject({ replayed: false })
  })

  test('a submission leaves nothing when the open runs are at their limit', async () => {
    const before = Number(await redis.hget(openRunsKey, ''))
    const [{ requests, ...large }, late] = [someSubmission(), someSubmission()]
    const many = Array.from({ length: 101 }, () => requests).flat()
    await submitJob(whole, { ...large, kind: 'multi', requests: many }, undefined)
    expect(Number(await redis.hget(openRunsKey, ''))).toBe(before + 7)
    const outcome = submitJob({ ...whole, openRunsLimit: before + 7 }, late, undefined)
    await expect(outcome).rejects.toMatchObject({ status: 503, code: 'queueFull' })
    // Also when the open runs grew while the request was being stored.
    const records = { ...whole.records, openRuns: { ...whole.records.openRuns, refusal: async () => null } }
    const racing = submitJob({ ...whole, records, openRunsLimit: before + 7 }, late, undefined)
    await expect(racing).rejects.toMatchObject({ status: 503, code: 'queueFull' })
    expect(await leftOf(late)).toEqual(nothing)
  })

  test('a submission leaves a callback that is due, and queued, when its job was withdrawn', async () => {
    const submission = someSubmission()
    const requests = submission.requests.map((request) => ({ ...request, callbackUrl: 'https://hooks.example/' }))
    const outcome = submitJob(
      { ...whole, queue: { ...whole.queue, add: away } },
      { ...submission, requests },
      undefined,
    )
    await expect(outcome).rejects.toMatchObject({ code: 'queueAway' })
    const [id = ''] = await redis.zrange(`packets:jobs:${submission.orgName}`, '0', '-1')
    expect((await whole.records.read(id))?.callback).toEqual(callbackDue)
    expect(await redis.exists(`${queuePrefix}:${callbackQueueName}:${id}`)).toBe(1)
    expect(await redis.zscore(callbacksDueKey, id)).not.toBeNull()
  })

  test('a submission leaves a running job when a worker started it before the queue answered', async () => {
    const submission = someSubmission()
    async function add({ id }: { id: string }) {
      await whole.records.start(id)
      await away()
    }
    const { id, replayed } = await submitJob({ ...whole, queue: { ...whole.queue, add } }, submission, undefined)
    const job = await whole.records.read(id)
    expect([replayed, job?.state]).toEqual([false, 'running'])
    expect(job && (await readRequests(whole, job)).requests).toEqual(submission.requests)
  })

  test('a submission leaves nothing when another job holds the name, and names that job', async () => {
    const submission = someSubmission()
    const { id } = await submitJob(whole, submission, undefined)
    const before = await leftOf(submission)
    await expect(submitJob(whole, submission, undefined)).rejects.toMatchObject({
      status: 409,
      code: 'nameInUse',
      headers: { Location: `/1.0/jobs/${id}` },
    })
    expect(await leftOf(submission)).toEqual(before)
  })

  test('a submission leaves nothing when its key was used, for the same request or another', async () => {
    const [submission, other] = [someSubmission(), someSubmission()]
    const idempotency = await idempotencyOf(secretKeys, 'client', randomUUID(), submission)
    const { id } = await submitJob(whole, submission, idempotency)
    const before = await leftOf(submission)
    expect(await submitJob(whole, submission, idempotency)).toEqual({ id, replayed: true })
    expect(await leftOf(submission)).toEqual(before)
    await expect(submitJob(whole, other, idempotency)).rejects.toMatchObject({ status: 422, code: 'keyReused' })
    expect(await leftOf(other)).toEqual(nothing)
  })

  test('a submission leaves a runnable job, which the janitor finds, if Redis becomes unavailable midway', async () => {
    const submission = someSubmission()
    const records = { ...whole.records, withdraw: away }
    const outcome = submitJob({ ...whole, records, queue: { ...whole.queue, add: away } }, submission, undefined)
    await expect(outcome).rejects.toMatchObject({ code: 'queueAway' })
    const [id = ''] = await redis.zrange(`packets:jobs:${submission.orgName}`, '0', '-1')
    expect(await whole.records.openBefore(Date.now() + 1)).toContain(id)
    expect(await redis.hget(recordKey(id), 'state')).toBe('queued')
    const job = await whole.records.read(id)
    expect(job && (await readRequests(whole, job)).requests).toEqual(submission.requests)
  })
})

test('a request whose duplicate takes the name meanwhile returns the duplicate’s job, not a conflict', async () => {
  const order = someSubmission()
  const principal = { name: 'client', identity: 'client', orgs: ['*'], scopes: [], expiresAt: null }
  const prefer = { waitSeconds: null, respondAsync: true, returnMinimal: false }
  const sender = { by: 'client', requestId: randomUUID(), traceparent: null }
  const caller = { signal: new AbortController().signal, principal, sender, prefer, idempotencyKey: randomUUID() }
  const idempotency = await idempotencyOf(config.secretKeys, 'client', caller.idempotencyKey, order)
  const twin = { ...whole, secretKeys: config.secretKeys }
  let made = ''
  const packets = {
    ...storage.packets,
    requireOrg: async () => {},
    async standingOf() {
      made = (await submitJob(twin, order, idempotency)).id
      await whole.records.finish(made, 'succeeded', { generation: 1 })
      return { isTaken: true, latest: 1, at: 0 }
    },
  }
  const context = { ...whole, ...storage, config, packets, models: null }
  expect(await submit(context, caller, order)).toEqual({ id: made, replayed: true })
  const another = { ...caller, idempotencyKey: undefined }
  await expect(submit(context, another, order)).rejects.toMatchObject({ status: 409, code: 'fileExists' })
})
