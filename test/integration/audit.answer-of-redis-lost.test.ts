import { randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, expect, inject, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { orderOf } from '../../shared/jobs/order.ts'
import { succeedJob } from '../../worker/finish-job.ts'
import { startTcpProxy } from '../support/faults/tcp-proxy.ts'
import { databaseOfFile } from '../support/programs/own-service.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { commitPacket } from '../support/storage/stored-packets.ts'

/** The answer at which the connection to Redis breaks, once. */
let lost: string | null = null
const proxy = await startTcpProxy(new URL(inject('stack').redis.url).host, {
  fromServer(chunk) {
    if (lost === null || !String(chunk).endsWith(lost)) return 'pass'
    lost = null
    return 'cut'
  },
})
afterAll(() => proxy.close())
const { context } = await ownWorker({ REDIS_URL: `redis://${proxy.address}/${await databaseOfFile()}` })
const { records } = context

async function newJob(): Promise<JobRecord> {
  const [id, orgName] = [randomUUID(), uniqueName('org')]
  const names = { orgName, fileName: 'f' }
  await records.create({
    id,
    kind: 'publish',
    ...names,
    order: orderOf({ batchSize: 1, force: false }),
    subRequests: 1,
  })
  return (await records.read(id)) as JobRecord
}

// Each script has run once, so that its next answer is that of the change.
const [finished, cancelled, withdrawn] = [await newJob(), await newJob(), await newJob()]
const gone = { status: 503, code: 'queueAway', message: 'away' }
await records.finish(finished.id, 'failed', {})
await records.cancel(cancelled.id)
await records.withdraw(withdrawn.id, gone)

test('a publish whose record was ended has its audit line and counts, although the answer was lost', async () => {
  const job = await newJob()
  const name = `${job.orgName}/f`
  const generation = await commitPacket(context, name, ['1'], { jobId: job.id })
  const lines: string[] = []
  const log = pino({}, new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) }))
  const views = { ...context.views, refresh: async () => {} }
  lost = ':1\r\n'
  await succeedJob({ ...context, log, views }, job, generation)
  expect(lost).toBeNull()
  const audited = lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit)
  expect(audited).toMatchObject([{ action: 'packet.publish', jobId: job.id, generation }])
  const { values } = await context.metrics.jobs.get()
  expect(values.find(({ labels }) => labels.outcome === 'succeeded')?.value).toBe(1)
  // Another run that ends it is not the first.
  expect(await records.finish(job.id, 'succeeded', {})).toBe(false)
})

test('a job that was cancelled or withdrawn is reported as such, although the answer was lost', async () => {
  const [first, second] = [await newJob(), await newJob()]
  lost = 'ended\r\n'
  expect(await records.cancel(first.id)).toEqual({ state: 'cancelled', isCancelledNow: true })
  expect(await records.cancel(first.id)).toEqual({ state: 'cancelled', isCancelledNow: false })
  expect(lost).toBeNull()
  lost = 'queued\r\n'
  expect(await records.withdraw(second.id, gone)).toBe('queued')
  expect(await records.withdraw(second.id, gone)).toBe('failed')
  expect(lost).toBeNull()
})
