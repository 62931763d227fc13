import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import type { Driver } from 'neo4j-driver'
import { inject, onTestFinished } from 'vitest'
import { type Client, createClient } from '../../../dev/client.ts'
import { openDriver } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'
import { type Service, startService } from '../../../dev/service.ts'
import { readConfig } from '../../../shared/config/config.ts'
import type { JobRecord } from '../../../shared/jobs/job.ts'
import { createJobRecords, type JobRecords } from '../../../shared/jobs/job-records.ts'
import { type Storage, storageOn } from '../../../shared/storage/storage.ts'
import { openMinioStore } from '../../../shared/store/minio-store.ts'
import type { OwnRedis } from '../faults/own-redis.ts'
import { createRollbacks, type Rollbacks } from '../faults/rollbacks.ts'
import { shortTimes } from '../faults/short-times.ts'
import { ownDatabase } from '../servers/own-database.ts'
import { follow } from './follower.ts'
import { type Reader, startReader } from './reader.ts'
import type { Version } from './versions.ts'

interface WorldOptions {
  workers?: number
  /** A Redis of its own; by default a database of the shared one. */
  redis?: OwnRedis
  env?: Record<string, string>
  /** Settings of locks and retries; by default short ones. */
  times?: Record<string, string>
  /** `host:port` of additional origins. */
  origins?: readonly string[]
  /** The test stops APIs or Redis. */
  answersMayFail?: boolean
  /** How long the reader pauses after each round. */
  readerPauseMs?: number
}

/** An acknowledged publish, followed until it ends. */
export interface Published {
  id: string
  fileName: string
  version: Version
  location: string
  /** When the acknowledged request was sent, by `performance.now()`. */
  submittedAt: number
  /** When it was first seen finished or gone; infinite until then. */
  endedAt(): number
  /** Resolves to the finished job, or null when it is gone. */
  done: Promise<JobRecord | null>
  /** Resolves as soon as the job is seen in such a state. */
  seen(is: (job: JobRecord) => boolean): Promise<JobRecord>
}

type Submitted = Pick<Published, 'id' | 'fileName' | 'version' | 'location'> & { submittedAt?: number }

export interface Order {
  version: Version
  fileName: string
  batchSize?: number
  force?: boolean
  /** Replaces the version's own sub-requests, e.g. to use another address of the origin. */
  requests?: readonly object[]
}

/** A service for one test with an org, and the observers that check the invariants. */
export interface World {
  service: Service
  org: string
  /** Further orgs, whose packets are not checked. */
  otherOrgs: Set<string>
  client: Client
  origin: Driver
  target: Driver
  redis: Redis
  records: JobRecords
  storage: Storage
  /** The contents of its own Redis's files; empty without one. */
  appendOnlyFiles(): string
  reader: Reader
  rollbacks: Rollbacks
  published: Published[]
  publish(order: Order): Promise<Published>
  /** Follows a job that was submitted elsewhere. */
  follow(job: Submitted): Published
  /** Follows the job again until it ends; null when it is gone. */
  endOf(job: Published): Promise<JobRecord | null>
  /** Directs subsequent requests to another API. */
  useApi(apiUrl: string): void
}

const jobLimitMs = 120_000

/** Must be called in a test; disposed when the test finishes. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { workers = 0, redis: ownRedis, env, origins, answersMayFail = false, times = shortTimes } = options
  const stack = inject('stack')
  const directory = mkdtempSync(join(tmpdir(), 'faults-'))
  const { database, release } = ownRedis
    ? { database: ownRedis.database, release: async () => {} }
    : await ownDatabase(stack.redis.url)
  const service = await startService(
    { ...stack, redis: ownRedis?.address ?? stack.redis },
    {
      directory,
      workers,
      redisDatabase: database,
      bucket: uniqueName('faults'),
      env: { LOG_LEVEL: 'trace', ...times, ...env },
      origins,
    },
  )
  const org = uniqueName('org')
  const clientOf = (apiUrl: string) => createClient(apiUrl, service.tokens.all as string)
  let client = clientOf(service.apiUrl)
  await client.post(`/1.0/publish/${org}`)
  const redis = new Redis(service.redisUrl, { socketTimeout: 5_000 }).on('error', () => {})
  const [origin, target] = [openDriver(stack.neo4j), openDriver(stack.target ?? stack.neo4j)]
  const reader = startReader(() => client, org, answersMayFail, options.readerPauseMs)
  const rollbacks = createRollbacks()
  const published: Published[] = []
  onTestFinished(async () => {
    const violation = await reader.stop().then(
      () => null,
      (error: unknown) => error,
    )
    await Promise.all([service.stop(), origin.close(), target.close()])
    redis.disconnect()
    await release()
    rmSync(directory, { recursive: true })
    if (violation !== null) throw violation
  })

  async function publish({ version, fileName, batchSize = 15, force = false, requests = version.requests }: Order) {
    reader.watch(fileName, { version, batchSize })
    const body = requests.map((request) => ({ ...request, orgName: org, fileName }))
    const path = `/1.0/publish/multi?batchsize=${batchSize}&forceOverwrite=${force}`
    const submittedAt = performance.now()
    const { status, headers, text } = await client.post(path, body, { Prefer: 'respond-async' })
    if (status !== 202) throw new Error(`not accepted: ${status} ${text}`)
    const location = headers.get('Location') as string
    return followJob({ id: location.split('/').at(-1) as string, fileName, version, location, submittedAt })
  }

  const followNow = (location: string, onSeen: (seen: JobRecord) => void) =>
    follow(() => client, location, onSeen, { limitMs: jobLimitMs, answersMayFail, rollbacks })

  function followJob(job: Submitted): Published {
    const waiting = new Set<(seen: JobRecord) => void>()
    let last: JobRecord | undefined
    const onSeen = (seen: JobRecord) => {
      last = seen
      for (const tell of waiting) tell(seen)
    }
    let endedAt = Number.POSITIVE_INFINITY
    const done = followNow(job.location, onSeen).finally(() => {
      endedAt = performance.now()
    })
    done.catch(() => {}) // reported to whoever awaits it
    const seen = async (is: (job: JobRecord) => boolean) => {
      if (last && is(last)) return last
      const { promise, resolve } = Promise.withResolvers<JobRecord>()
      waiting.add((now) => is(now) && resolve(now))
      const ended = done.then(() => Promise.reject(new Error(`never seen so: ${JSON.stringify(last)}`)))
      return Promise.race([promise, ended])
    }
    const one = { submittedAt: 0, ...job, endedAt: () => endedAt, done, seen }
    published.push(one)
    return one
  }

  return {
    service,
    org,
    otherOrgs: new Set(),
    get client() {
      return client
    },
    origin,
    target,
    redis,
    records: createJobRecords(redis),
    storage: storageOn(openMinioStore(readConfig('worker', service.env).storage)),
    appendOnlyFiles: () => ownRedis?.appendOnlyFiles() ?? '',
    reader,
    rollbacks,
    published,
    publish,
    follow: followJob,
    endOf: ({ location }) => followNow(location, () => {}),
    useApi(apiUrl) {
      client = clientOf(apiUrl)
    },
  }
}
