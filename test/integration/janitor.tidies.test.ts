import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { database, uniqueName } from '../../dev/requests.ts'
import { createPacketViews } from '../../shared/jobs/packet-views.ts'
import { createSecrets } from '../../shared/jobs/stored/secrets.ts'
import { Releases } from '../../shared/lifecycle/releases.ts'
import { queueDepths } from '../../shared/queue/depth.ts'
import { type SubmitContext, submitJob } from '../../shared/queue/submit-job.ts'
import { dutyKey, openJobsKey, recordKey, stalePlainFilesKey, sweptKey } from '../../shared/redis/keys.ts'
import { removal } from '../../shared/storage/manifest.ts'
import { consumeJobs } from '../../worker/consume.ts'
import { createWorkerContext, type WorkerContext } from '../../worker/context.ts'
import { restoreJobs, startJanitor, sweep } from '../../worker/janitor.ts'
import { drawRing } from '../support/graphs/social-graph.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { commitPacket, viewOf } from '../support/storage/stored-packets.ts'

const { neo4j } = inject('stack')
const { config } = (await ownWorker()).context
const log = pino({ level: 'silent' })
const hourAgo = () => Date.now() - 3_600_000

let releases: Releases
let context: WorkerContext
beforeEach(async () => {
  releases = new Releases(log)
  context = await createWorkerContext(config, log, releases)
  await context.redis.del(openJobsKey, sweptKey, stalePlainFilesKey, ...['rescue', 'plainFiles', 'sweep'].map(dutyKey))
})
afterEach(() => releases.dispose())

const someOrg = () => uniqueName('org')

/** A job whose id never reached the queue, or was lost by it. */
async function lostJob(change: Partial<SubmitContext> = {}, label = 'Person', orgName = someOrg()): Promise<string> {
  const secrets = createSecrets(context.redis, config.secretKeys)
  const queue = { ...context.queue, add: async () => {} }
  const submitting = { ...context, secrets, queue, openRunsLimit: 1_000, secretKeys: config.secretKeys, ...change }
  const request = { ...database(neo4j, label, 'id'), originIds: ['p1'], metadata: true }
  const names = { orgName, fileName: 'lost' }
  const submission = { kind: 'publish', ...names, batchSize: 5_000, force: false, requests: [request] } as const
  return (await submitJob(submitting, submission, undefined)).id
}

/** Queue entries that no worker has taken. */
async function waiting(): Promise<number> {
  const { wait, prioritized, delayed } = await queueDepths(context.redis)
  return wait + prioritized + delayed
}

const restoreAll = () => restoreJobs(context, Date.now() + 1)

describe('a job missing from the queue', () => {
  test('a job missing from the queue is requeued, and then runs', async () => {
    const driver = openDriver(neo4j)
    const [label, org] = [uniqueName('Person'), someOrg()]
    await drawRing(driver, label, 3)
    await driver.close()
    const id = await lostJob({}, label, org)
    await consumeJobs(context, releases)
    expect(await waiting()).toBe(0)
    await restoreAll()
    await expect.poll(async () => (await context.records.read(id))?.state, { timeout: 30_000 }).toBe('succeeded')
    expect(Object.keys(await viewOf(context, org))).toEqual(['lost'])
  })

  test('a job missing from the queue is left alone while young: its submitter may still enqueue it', async () => {
    await lostJob()
    await restoreJobs(context, hourAgo())
    expect(await waiting()).toBe(0)
  })

  test('a job missing from the queue is requeued once, however often the check runs', async () => {
    const orgName = someOrg()
    const id = await lostJob({}, 'Person', orgName)
    expect(await context.queue.restore({ id, orgName })).toBe(true)
    expect(await context.queue.restore({ id, orgName })).toBe(false)
    await Promise.all([restoreAll(), restoreAll()])
    expect(await waiting()).toBe(1)
    await context.queue.remove({ id, orgName })
  })

  test('a job missing from the queue is cancelled if a cancellation was pending', async () => {
    const id = await lostJob()
    await context.redis.hset(recordKey(id), 'cancelling', 'true') // its run ended before it saw the cancellation
    await restoreAll()
    await consumeJobs(context, releases)
    const state = async () => (await context.records.read(id))?.state
    await expect.poll(state, { timeout: 30_000 }).toBe('cancelled')
  })
})

test('removed and finished jobs are taken off the list of unfinished jobs', async () => {
  const [gone, finished, open] = [await lostJob(), await lostJob(), await lostJob()]
  await context.redis.del(recordKey(gone))
  await context.redis.hset(recordKey(finished), 'state', 'succeeded')
  await restoreAll()
  expect(await context.redis.zrange(openJobsKey, '0', '-1')).toEqual([open])
  expect(await waiting()).toBe(1)
  await context.queue.remove({ id: open, orgName: someOrg() })
})

describe('stale plain files', () => {
  test('stale plain files are updated when a worker died after its commit, and the mark is cleared', async () => {
    const org = someOrg()
    await commitPacket(context, `${org}/f`, ['1', '2'])
    await commitPacket(context, `${org}/removed`, ['3'])
    await context.generations.commit(`${org}/removed`, removal(), { force: true, taken: () => new Error('taken') })
    await context.store.put(`${org}/removed`, Buffer.from('3'))
    await context.redis.zadd(stalePlainFilesKey, hourAgo(), `${org}/f`, hourAgo(), `${org}/removed`)
    await context.redis.set(sweptKey, 'lately') // so that the sweep does not do it
    startJanitor(context, releases)
    await expect.poll(() => viewOf(context, org), { timeout: 30_000 }).toEqual({ fPart1of2: '1', fPart2of2: '2' })
    await expect.poll(() => context.redis.zcard(stalePlainFilesKey), { timeout: 30_000 }).toBe(0)
  })

  test('stale plain files are repaired by the sweep after a manual change', async () => {
    const org = someOrg()
    await commitPacket(context, `${org}/f`, ['1', '2'])
    await context.views.refresh(`${org}/f`)
    await context.store.remove(`${org}/fPart1of2`)
    await context.store.put(`${org}/fPart2of2`, Buffer.from('spoilt'))
    await context.store.put(`${org}/fPart3of3`, Buffer.from('surplus'))
    await sweep(context, Date.now(), new AbortController().signal)
    expect(await viewOf(context, org)).toEqual({ fPart1of2: '1', fPart2of2: '2' })
  })

  test('stale plain files stay marked while the store is unavailable, or another commit is in progress', async () => {
    const org = someOrg()
    await commitPacket(context, `${org}/f`, ['1'])
    await context.views.markStale(`${org}/f`)
    const marks = () => context.views.staleBefore(Date.now() + 1_000)
    const { store } = context
    const list = store.list
    store.list = () => {
      throw new Error('away')
    }
    await context.views.refresh(`${org}/f`)
    expect(await marks()).toEqual([`${org}/f`])
    store.list = (prefix) => {
      store.list = list
      return marked(prefix)
    }
    async function* marked(prefix: string) {
      await context.redis.zadd(stalePlainFilesKey, Date.now() + 1, `${org}/f`)
      yield* list(prefix)
    }
    await context.views.refresh(`${org}/f`)
    expect(await context.views.staleBefore(Date.now() + 10_000)).toEqual([`${org}/f`])
    await context.views.refresh(`${org}/f`)
    expect(await context.views.staleBefore(Date.now() + 10_000)).toEqual([])
  })
})

test('with plain files off, no packet stays marked and no plain files are made', async () => {
  const org = someOrg()
  await commitPacket(context, `${org}/f`, ['1'])
  await context.redis.zadd(stalePlainFilesKey, hourAgo(), `${org}/f`)
  const views = createPacketViews(context.redis, context, { isEnabled: false, log, metrics: context.metrics })
  await views.refresh(`${org}/f`)
  expect([await context.redis.zcard(stalePlainFilesKey), await viewOf(context, org)]).toEqual([0, {}])
})
