import { join } from 'node:path'
import type { Driver } from 'neo4j-driver'
import { type Client, createClient } from '../../dev/client.ts'
import { openDriver } from '../../dev/replay/neo4j.ts'
import { type Service, type ServiceOptions, startService } from '../../dev/service.ts'
import type { Neo4jAddress, RedisAddress, S3Address } from '../../dev/stack/addresses.ts'
import { startOriginWithApoc } from '../../dev/stack/native/neo4j.ts'
import { startRedis } from '../../dev/stack/native/redis.ts'
import { openRun, type Run } from '../../dev/stack/run.ts'
import { readConfig } from '../../shared/config/config.ts'
import { openMinioStore } from '../../shared/store/minio-store.ts'
import type { ObjectStore } from '../../shared/store/object-store.ts'
import { type Server, servers } from '../stores/servers.ts'
import { drawGraph, idsOf } from './graph.ts'

/** The environment of all lanes. */
export interface Setting {
  scale: number
  /** In the order in which every lane requests them. */
  ids: readonly string[]
  run: Run
  neo4j: Neo4jAddress
  redis: RedisAddress
  s3: S3Address
  /** An API without workers; each measurement starts its own. */
  ours: Ours
  /** Starts another service with its own settings, Redis database and bucket. */
  startOurs(redisDatabase: number, options?: Partial<ServiceOptions>): Promise<Ours>
}

/** An API with its client and store. */
export interface Ours {
  service: Service
  client: Client
  store: ObjectStore
}

export const orgName = 'bench'

/** Runs `work` with dedicated servers, including a database with APOC and the graph. */
export async function withSetting(
  { scale, store }: { scale: number; store: string },
  work: (setting: Setting) => Promise<void>,
): Promise<void> {
  const say = (line: string) => console.log(line)
  const run = openRun(join(import.meta.dirname, '../../.local/run'), say)
  const starts = [startOriginWithApoc(run), startRedis(run), (servers[store] as Server).start(run)] as const
  try {
    const [neo4j, redis, s3] = await Promise.all(starts)
    if (redis.pid === null || neo4j.pid === null) throw new Error('the benchmark needs servers whose pid it knows')
    const driver = openDriver(neo4j)
    const started = performance.now()
    await draw(driver, scale)
    say(`graph: scale ${scale}, drawn in ${((performance.now() - started) / 1_000).toFixed(1)} s`)
    const startOurs: Setting['startOurs'] = async (redisDatabase, options = {}) => {
      const directory = join(run.directory, `service-${redisDatabase}-${Date.now()}`)
      const bucket = `publish-${redisDatabase}`
      const service = await startService(
        { neo4j, redis, s3 },
        { directory, workers: 0, redisDatabase, bucket, ...options },
      )
      run.onStop(() => service.stop())
      const client = createClient(service.apiUrl, service.tokens.all as string)
      await client.post(`/1.0/publish/${orgName}`)
      // A direct connection to the store: a lane's proxy must not slow down its own checks.
      const storage = readConfig('worker', { ...service.env, S3_ENDPOINT: s3.endpoint }).storage
      return { service, client, store: openMinioStore(storage) }
    }
    const ours = await startOurs(0)
    await work({ scale, ids: idsOf(scale), run, neo4j, redis, s3, ours, startOurs })
  } finally {
    await run.stop(starts)
  }
}

async function draw(driver: Driver, scale: number): Promise<void> {
  try {
    await drawGraph(driver, scale)
  } finally {
    await driver.close()
  }
}
