import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll, expect, inject, test } from 'vitest'
import type { ApiContext } from '../../api/context.ts'
import type { Input } from '../../api/http/endpoint.ts'
import { cancelJob } from '../../api/jobs/cancel-job.ts'
import { createJobRecords } from '../../shared/jobs/job-records.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { storeSliceResult } from '../../shared/jobs/stored/results.ts'
import { createLog } from '../../shared/observability/log.ts'
import { createMetrics } from '../../shared/observability/metrics.ts'
import { createReport } from '../../shared/publish/report/report.ts'
import type { JobQueue } from '../../shared/queue/queue.ts'
import type { ObjectStore } from '../../shared/store/object-store.ts'
import { ownDatabase } from '../support/servers/own-database.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { keysBelow, stagePacket } from '../support/storage/stored-packets.ts'
import { only } from '../support/values/only.ts'

const { database, release } = await ownDatabase(inject('stack').redis.url)
const redis = new Redis(inject('stack').redis.url, { db: database })
afterAll(async () => {
  redis.disconnect()
  await release()
})
const storage = await openTestStorage()
const records = createJobRecords(redis)
const { promise: mayRemove, resolve: letRemove } = Promise.withResolvers<void>()
const slow: ObjectStore = {
  ...storage.store,
  async remove(key) {
    await mayRemove
    await storage.store.remove(key)
  },
}

const [log, metrics] = [createLog('test', 'silent'), createMetrics()]
const queue = only<JobQueue>({ remove: async () => {} })
const context = only<ApiContext>({ ...storage, store: slow, records, log, metrics, queue })
const principal = { name: 'a', identity: 'a', orgs: ['*'], scopes: [], expiresAt: null }

/** Cancels a job by the endpoint, and notes the changes that it reports. */
function cancelled(id: string, changes: object[] = [], of = context) {
  const changed: Input['changed'] = (change) => void changes.push(change)
  return cancelJob.handle(of, only<Input<unknown, unknown, unknown>>({ principal, params: { id }, changed }))
}

async function waitingJob() {
  const [id, orgName, fileName] = [randomUUID(), `org-${randomUUID()}`, 'f']
  const order = orderOf({ batchSize: 1, force: false })
  await records.create({ id, kind: 'publish', orgName, fileName, order, subRequests: 1 })
  return { id, orgName }
}

test('a job that a worker starts while it is being cancelled is cancelled, and does not fail', async () => {
  const { id } = await waitingJob()
  let started: unknown
  const store: ObjectStore = {
    ...storage.store,
    async hasAny(prefix) {
      started = await records.start(id)
      return storage.store.hasAny(prefix)
    },
  }
  const changes: object[] = []
  expect(await cancelled(id, changes, { ...context, store })).toMatchObject({
    status: 200,
    value: { state: 'cancelled' },
  })
  expect([started, changes]).toMatchObject(['cancelling', [{ action: 'job.cancel' }]])
})

test('a job whose run commits while it is being cancelled is not cancelled', async () => {
  const { id, orgName } = await waitingJob()
  const manifest = await stagePacket(storage, `${orgName}/f`, ['part'], { jobId: id })
  const store: ObjectStore = {
    ...storage.store,
    async hasAny(prefix) {
      const options = { force: false, taken: () => new Error('taken') }
      await storage.generations.commit(`${orgName}/f`, manifest, options)
      return storage.store.hasAny(prefix)
    },
  }
  await expect(cancelled(id, [], { ...context, store })).rejects.toMatchObject({ code: 'notCancellable' })
})

test.each([
  ['to wait', async () => {}],
  [
    'to have no run in progress',
    async (id: string) => {
      await records.start(id)
      await records.endRun(id)
    },
  ],
])('a run that Redis has forgotten does not commit after its job, which seemed %s, was cancelled', async (_how, be) => {
  const { id, orgName } = await waitingJob()
  await be(id)
  const manifest = await stagePacket(storage, `${orgName}/f`, ['part'], { jobId: id })
  expect(await cancelled(id)).toMatchObject({ status: 200, value: { state: 'cancelled' } })
  const commit = storage.generations.commit(`${orgName}/f`, manifest, { force: false, taken: () => new Error('taken') })
  await expect(commit).rejects.toMatchObject({ code: 'jobVoided' })
})

test('cancelling a large multi with many staged parts returns at once; its parts are removed afterwards', async () => {
  const [id, orgName, parts] = [randomUUID(), `org-${randomUUID()}`, 20]
  const job = {
    id,
    kind: 'multi',
    orgName,
    fileName: 'f',
    order: orderOf({ batchSize: 1, force: false }),
    subRequests: 60,
  } as const
  await records.create(job)
  const keys = Array.from({ length: parts }, (_, index) => `${orgName}/.parts/f/.${id}/one/00000-${index}`)
  for (const key of keys) await storage.store.put(key, Buffer.from('part'))
  const staged = keys.map((key) => ({ key, bytes: 4, pairs: 1, etag: 'e', sha256: '', statements: {} }))
  await storeSliceResult(storage.store, job, 0, {
    run: 'one',
    parts: staged,
    parameterSyntax: 'braces',
    numbers: 'plain',
    report: createReport().read(),
    observations: [],
  })

  const began = performance.now()
  const changes: object[] = []
  const answer = await cancelled(id, changes)
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(answer).toMatchObject({ status: 200, value: { state: 'cancelled' } })
  expect(changes).toEqual([{ action: 'job.cancel', jobId: id, orgName, fileName: 'f' }])
  letRemove()
  const left = async () => (await keysBelow(storage, `${orgName}/`)).filter((key) => key.includes(id))
  await expect.poll(left, { timeout: 30_000, interval: 200 }).toEqual([expect.stringMatching(/\/cancelled$/)])
})
