import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { type Client, createClient } from '../../dev/client.ts'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { database, inSlices } from '../../dev/requests.ts'
import { startService } from '../../dev/service.ts'
import { startOrigin } from '../../dev/stack/native/neo4j.ts'
import { startRedis } from '../../dev/stack/native/redis.ts'
import { openRun } from '../../dev/stack/run.ts'
import { subRequestsPerSlice } from '../../shared/jobs/job.ts'
import { drawRing } from '../support/graphs/social-graph.ts'
import { serveMemoryStore } from '../support/servers/memory-s3-server.ts'
import { openMemoryStore } from '../support/storage/memory-store.ts'
import { round } from './numbers.ts'
import { startMockOrigin } from './start-mock-origin.ts'
import { cpuSeconds } from './usage.ts'

/**
 * Measures how work spreads over many workers, on a machine that has no cores for them: origin and store are mocks that
 * wait `--delay` milliseconds (100) before each answer, in place of work. Prints, for each number of `--workers` (2,4,16):
 * small jobs a second, how long jobs of a busy org and of others wait, Redis commands a job, and which share of the
 * ideal speed a large multi reaches. `node_modules/.bin/node test/bench/many-workers.ts`
 */
const { values } = parseArgs({
  options: { workers: { type: 'string', default: '2,4,16' }, delay: { type: 'string', default: '100' } },
})
const delayMs = Number(values.delay)
const counts = values.workers.split(',').map(Number)
const others = ['calm-1', 'calm-2', 'calm-3']
const jobsOfBusy = 240
const jobsOfOthers = 10
const submittedAtOnce = 30
const slices = 64

const directory = mkdtempSync(join(tmpdir(), 'many-workers-'))
const servers = openRun(join(import.meta.dirname, '../../.local/run'), console.log)
const starts = [startOrigin(servers, true), startRedis(servers)] as const
const store = await serveMemoryStore(openMemoryStore(), delayMs)
const measured = []
try {
  const [neo4j, redis] = await Promise.all(starts)
  const driver = openDriver(neo4j)
  await drawRing(driver, 'Many', 3)
  await driver.close()
  const mock = await startMockOrigin(servers, neo4j, delayMs)
  const s3 = {
    endpoint: store.settings.S3_ENDPOINT,
    region: 'us-east-1',
    accessKey: 'any',
    secretKey: 'any',
    pid: null,
  }
  await using service = await startService(
    { neo4j, redis, s3 },
    { directory, workers: 0, origins: [mock.recording, mock.replaying], env: { PLAIN_FILES: 'off' } },
  )
  const client = createClient(service.apiUrl, service.tokens.all as string)
  const counted = new Redis(service.redisUrl)
  for (const org of ['busy', ...others]) await client.post(`/1.0/publish/${org}`)

  const requestOf = (host: string, orgName: string, fileName: string) => ({
    ...database({ ...neo4j, boltUrl: `bolt://${host}` }, 'Many', 'id'),
    metadata: true,
    originIds: ['p1'],
    orgName,
    fileName,
  })
  const submit = async (path: string, body: object) =>
    (await client.post(path, body, { Prefer: 'respond-async' })).headers.get('Location') as string
  const multiOf = (host: string, fileName: string, count: number) =>
    Array.from({ length: count * subRequestsPerSlice }, () => requestOf(host, 'busy', fileName))

  // Every query of the measured jobs is recorded once.
  const recorder = await service.startWorker({ WORKER_CONCURRENCY: '2' })
  await done(client, [await submit('/1.0/publish/', requestOf(mock.recording, 'busy', 'recorded'))])
  await done(client, [await submit('/1.0/publish/multi', multiOf(mock.recording, 'recorded in slices', 2))])
  await recorder.stop(20_000)

  let alone = 0
  for (const count of counts) {
    const small = [
      ...Array.from({ length: jobsOfBusy }, (_, at) => requestOf(mock.replaying, 'busy', `${count} ${at}`)),
      ...others.flatMap((org) =>
        Array.from({ length: jobsOfOthers }, (_, at) => requestOf(mock.replaying, org, `${count} ${at}`)),
      ),
    ]
    const workers = await Promise.all(
      Array.from({ length: count }, () => service.startWorker({ WORKER_CONCURRENCY: '2' })),
    )
    const warm = await submit('/1.0/publish/multi', multiOf(mock.replaying, `${count} warm`, 2 * count))
    await done(client, [warm])
    const usedBefore = cpuSeconds(redis.pid)
    const commandsBefore = await commands(counted)
    const locations: string[] = []
    for (const some of inSlices(small, submittedAtOnce)) {
      locations.push(...(await Promise.all(some.map((request) => submit('/1.0/publish/', request)))))
    }
    const jobs = await done(client, locations)
    const commandsOfJobs = (await commands(counted)) - commandsBefore
    const redisSeconds = cpuSeconds(redis.pid) - usedBefore
    const [large] = await done(client, [
      await submit('/1.0/publish/multi', multiOf(mock.replaying, `${count} large`, slices)),
    ])
    await Promise.all(workers.map((worker) => worker.stop(20_000)))
    const seconds = (end(jobs) - begin(jobs)) / 1_000
    const largeSeconds = large ? (Date.parse(large.finishedAt) - Date.parse(large.startedAt)) / 1_000 : 0
    if (alone === 0) alone = largeSeconds * count
    measured.push({
      workers: count,
      'jobs/s': round(jobs.length / seconds),
      'wait of busy, s': waitOf(jobs.filter(({ orgName }) => orgName === 'busy')),
      'wait of others, s': waitOf(jobs.filter(({ orgName }) => orgName !== 'busy')),
      'Redis commands/job': Math.round(commandsOfJobs / jobs.length),
      'Redis ms/job': round((redisSeconds * 1_000) / jobs.length),
      'slices, s': round(largeSeconds),
      'of ideal, %': Math.round((100 * alone) / (count * largeSeconds)),
    })
    console.table(measured.slice(-1))
  }
  counted.disconnect()
  console.table(measured)
} finally {
  store.close()
  await servers.stop(starts)
  rmSync(directory, { recursive: true })
}

interface Ended {
  orgName: string
  createdAt: string
  startedAt: string
  finishedAt: string
}

async function done(client: Client, locations: readonly string[]): Promise<Ended[]> {
  const ended: Ended[] = []
  for (const location of locations) {
    const job = await client.followJob(location, 600_000)
    if (job.state !== 'succeeded') throw new Error(`the job ${job.state}: ${job.error?.message}`)
    ended.push(job as Ended)
  }
  return ended
}

function begin(jobs: readonly Ended[]): number {
  return Math.min(...jobs.map(({ startedAt }) => Date.parse(startedAt)))
}

function end(jobs: readonly Ended[]): number {
  return Math.max(...jobs.map(({ finishedAt }) => Date.parse(finishedAt)))
}

/** Seconds from the submit of a job to its first run, on average. */
function waitOf(jobs: readonly Ended[]): number {
  const waits = jobs.map(({ createdAt, startedAt }) => Date.parse(startedAt) - Date.parse(createdAt))
  return round(waits.reduce((sum, wait) => sum + wait, 0) / waits.length / 1_000)
}

async function commands(redis: Redis): Promise<number> {
  const counts = (await redis.info('commandstats')).matchAll(/calls=(\d+)/g)
  return [...counts].reduce((sum, [, calls]) => sum + Number(calls), 0)
}
