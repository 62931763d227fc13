import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import type { Driver } from 'neo4j-driver'
import { createClient } from '../../dev/client.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { database, inSlices } from '../../dev/requests.ts'
import { type Service, startService } from '../../dev/service.ts'
import { startLargeTarget } from '../../dev/stack/native/neo4j.ts'
import { startRedis } from '../../dev/stack/native/redis.ts'
import { startS3 } from '../../dev/stack/native/s3.ts'
import { openRun } from '../../dev/stack/run.ts'
import { readConfig } from '../../shared/config/config.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { storageOn } from '../../shared/storage/storage.ts'
import { openMinioStore } from '../../shared/store/minio-store.ts'
import type { ObjectStore } from '../../shared/store/object-store.ts'
import { isFinished } from '../../wire/job-states.ts'
import { sweep } from '../support/storage/sweeps.ts'
import { round, seconds } from './numbers.ts'
import { idsPerRequest } from './publishing.ts'
import { peakMegabytes } from './usage.ts'

/**
 * Publishes packets of growing size, each by two workers that were just started, and prints how everything grows with
 * them. Nodes are small and have a hundred relationships each. `--pairs 1,10`: millions of pairs.
 * `node_modules/.bin/node test/bench/growth.ts --pairs 0.1,1,10`
 */
const orgName = 'growth'
const degree = 100
const longestMs = 7_200_000
const { values } = parseArgs({ options: { pairs: { type: 'string', default: '0.1,1,10' } } })
const sizes = values.pairs.split(',').map((millions) => Math.round(Number(millions) * 1e6))

const measured = []
const directory = mkdtempSync(join(tmpdir(), 'growth-'))
const servers = openRun(join(import.meta.dirname, '../../.local/run'), console.log)
const starts = [startLargeTarget(servers), startRedis(servers), startS3(servers)] as const
try {
  const [neo4j, redis, s3] = await Promise.all(starts)
  const driver = openDriver(neo4j)
  await using service = await startService({ neo4j, redis, s3 }, { directory, workers: 0, bucket: 'growth' })
  const store = openMinioStore(readConfig('worker', service.env).storage)
  const client = createClient(service.apiUrl, service.tokens.all as string)
  await client.post(`/1.0/publish/${orgName}`)
  const observed = new Redis(service.redisUrl)
  for (const size of sizes) {
    const label = `Small${size}`
    const ids = await draw(driver, label, Math.ceil(size / (degree + 2)))
    console.log(`${label} is drawn`)
    const fields = { ...database(neo4j, label, 'id'), metadata: true, relationships: ['T>'], orgName, fileName: label }
    const body = JSON.stringify(inSlices(ids, idsPerRequest).map((originIds) => ({ ...fields, originIds })))
    measured.push(await publish(service, client, observed, store, { fileName: label, body }))
    console.table(measured.slice(-1))
    for await (const { key } of store.list(`${orgName}/`)) if (!key.endsWith('/.org')) await store.remove(key)
  }
  observed.disconnect()
  await driver.close()
  console.table(measured)
} finally {
  await servers.stop(starts)
  rmSync(directory, { recursive: true })
}

/** Nodes in a ring, each with a relationship to each of the next hundred. @returns their ids. */
async function draw(driver: Driver, label: string, count: number): Promise<string[]> {
  await run(driver, `CREATE CONSTRAINT FOR (n:${label}) REQUIRE n.id IS UNIQUE`)
  const ids = Array.from({ length: count }, (_, index) => `s${index}`)
  for (const some of inSlices(ids, 50_000)) {
    await run(driver, `UNWIND $some AS id CREATE (:${label} {id: id, name: 'Small ' + id})`, { some })
  }
  for (let first = 0; first < count; first += 1_000) {
    const starts = `UNWIND range($first, $first + 999) AS at WITH at WHERE at < $count MATCH (a:${label} {id: 's' + at})`
    const ends = `UNWIND range(1, ${degree}) AS step MATCH (b:${label} {id: 's' + (at + step) % $count})`
    const drawn = `${starts} ${ends} CREATE (a)-[:T {n: step}]->(b)`
    await run(driver, drawn, { first: BigInt(first), count: BigInt(count) })
  }
  await run(driver, 'CALL db.awaitIndexes(600)')
  await run(driver, 'CALL db.prepareForReplanning()')
  return ids
}

async function publish(
  service: Service,
  client: ReturnType<typeof createClient>,
  redis: Redis,
  store: ObjectStore,
  { fileName, body }: { fileName: string; body: string },
) {
  const workers = await Promise.all([service.startWorker(), service.startWorker()])
  const before = await usedBytes(redis)
  const started = performance.now()
  const { headers, body: answer } = await client.post('/1.0/publish/multi', body, { Prefer: 'respond-async' })
  const location = headers.get('Location')
  if (location === null) throw new Error(String(answer.error))
  const submitted = performance.now()
  let [mostBytes, grownAt, pairs] = [0, submitted, 0]
  let job: JobRecord
  for (;;) {
    job = (await client.get<JobRecord>(location)).body
    if (job.progress.pairs > pairs) [pairs, grownAt] = [job.progress.pairs, performance.now()]
    mostBytes = Math.max(mostBytes, (await usedBytes(redis)) - before)
    if (isFinished(job)) break
    if (performance.now() - started > longestMs) throw new Error('the job takes too long')
    await delay(100)
  }
  if (job.state !== 'succeeded') throw new Error(`the job ${job.state}: ${job.error?.message}`)
  const ended = performance.now()
  const peak = Math.max(...workers.map(({ pid }) => peakMegabytes(pid)))
  await Promise.all(workers.map((worker) => worker.stop(20_000)))
  const storage = storageOn(store)
  const swept = await seconds(() => sweep(storage))
  const manifest = await seconds(async () => {
    const { status } = await client.get(`/1.0/publish/${orgName}/${fileName}/manifest`)
    if (status !== 200) throw new Error(`the manifest was answered with ${status}`)
  })
  return {
    pairs: job.progress.pairs,
    parts: job.progress.parts,
    'request MB': round(body.length / 1e6),
    'submit s': round((submitted - started) / 1_000),
    'publish s': round((ended - submitted) / 1_000),
    'pairs/s': Math.round((job.progress.pairs / (ended - submitted)) * 1_000),
    'commit s': round((ended - grownAt) / 1_000),
    'packet MB': round(job.progress.bytes / 1e6),
    'manifest kB': round((await manifestBytes(store)) / 1e3),
    'manifest ms': Math.round(manifest * 1_000),
    'worker MB': round(peak),
    'API MB': round(peakMegabytes(service.api.pid)),
    'Redis kB': round(mostBytes / 1e3),
    'sweep s': round(swept),
  }
}

async function usedBytes(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1])
}

async function manifestBytes(store: ObjectStore): Promise<number> {
  let most = 0
  for await (const { bytes } of store.list(`${orgName}/.generations/`)) most = Math.max(most, bytes)
  return most
}
