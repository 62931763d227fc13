import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { Client } from '../../../dev/client.ts'
import { readConfig } from '../../../shared/config/config.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { createJobRecords } from '../../../shared/jobs/job-records.ts'
import { orderOf } from '../../../shared/jobs/order.ts'
import { createSecrets } from '../../../shared/jobs/stored/secrets.ts'
import { createLog } from '../../../shared/observability/log.ts'
import { createMetrics } from '../../../shared/observability/metrics.ts'
import { createJobQueue } from '../../../shared/queue/queue.ts'
import { restoreJobs } from '../../../worker/janitor.ts'

const atOnce = 500

/** Creates jobs in Redis as submissions do, but faster, with no data in the store. @returns bytes of Redis a job. */
export async function fillQueue(redis: Redis, env: Record<string, string>, orgName: string, count: number) {
  const records = createJobRecords(redis)
  const queue = createJobQueue(redis)
  const secrets = createSecrets(redis, readConfig('worker', env).secretKeys)
  const credentials = `Basic ${Buffer.from('a user of some length:and a password').toString('base64')}`
  async function add(number: number) {
    const id = randomUUID()
    const names = { orgName, fileName: `a file name of usual length, number ${number}` }
    const { sealedKey } = secrets.encrypt(id, [credentials])
    await records.create({
      id,
      kind: 'publish',
      ...names,
      order: orderOf({ batchSize: 5_000, force: false }),
      subRequests: 1,
      sealedKey,
    })
    await queue.add({ id, orgName })
  }
  const usedBytes = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
  const before = await usedBytes()
  for (let from = 0; from < count; from += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => add(from + index)))
  }
  const bytes = (await usedBytes()) - before
  await queue.close()
  return bytes / count
}

/** The longest duration of several runs, in milliseconds. */
async function slowest(times: number, step: (time: number) => Promise<unknown>): Promise<number> {
  let most = 0
  for (let time = 0; time < times; time++) {
    const started = performance.now()
    await step(time)
    most = Math.max(most, performance.now() - started)
  }
  return Math.round(most)
}

/** Measures, in milliseconds, the operations that a full queue might slow down. */
export async function measureFullQueue(redis: Redis, client: Client, apiUrl: string, request: object, orgName: string) {
  const answered = async (answer: Promise<{ status: number }>, status: number) => {
    const found = (await answer).status
    if (found !== status) throw new Error(`answered ${found} instead of ${status}`)
  }
  const submit = (time: number) =>
    client.post('/1.0/publish/', { ...request, fileName: `measured ${time}` }, { Prefer: 'respond-async' })
  const listed = (query: string) => answered(client.get(`/1.0/jobs?limit=100${query}`), 200)
  const records = createJobRecords(redis)
  const queue = createJobQueue(redis)
  const context = { records, queue, metrics: createMetrics(), log: createLog('test', 'silent') }
  await submit(-1)
  let longestPing = 0
  const janitor = restoreJobs(context, Date.now() + 3_600_000)
  let isDone = false
  const pings = (async () => {
    while (!isDone) longestPing = Math.max(longestPing, await slowest(1, () => client.get('/1.0/publish/status')))
  })()
  const janitorMs = await slowest(1, () => janitor)
  isDone = true
  await pings
  const [newest] = (await client.get<{ jobs: JobRecord[] }>('/1.0/jobs?limit=1')).body.jobs
  const measured = {
    submitMs: await slowest(20, (time) => answered(submit(time), 202)),
    listMs: await slowest(5, () => listed('')),
    listOfOrgMs: await slowest(5, () => listed(`&orgName=${orgName}`)),
    listByStateMs: await slowest(3, () => listed('&state=running')),
    searchMs: await slowest(3, () => listed('&q=no-such-job')),
    summaryMs: await slowest(3, () => answered(client.get('/1.0/jobs/summary'), 200)),
    countMs: await slowest(5, () => records.openRuns.refusal(orgName, 1_000_000)),
    metricsMs: await slowest(5, () => fetch(`${apiUrl}/metrics`)),
    cancelMs: await slowest(1, () => answered(client.post(`/1.0/jobs/${newest?.id}/cancel`), 200)),
    janitorMs,
    statusBesideJanitorMs: longestPing,
  }
  await queue.close()
  return measured
}
