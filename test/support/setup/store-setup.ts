import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { S3Address } from '../../../dev/stack/addresses.ts'
import { startRedis } from '../../../dev/stack/native/redis.ts'
import { openRun } from '../../../dev/stack/run.ts'
import { servers } from '../../stores/servers.ts'

/** Starts what the tests of stores need: a Redis, and the store of `TRY_STORE` (the address as JSON) or else the rules of MinIO. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  const { TRY_STORE } = process.env
  return startStoreTests(project, TRY_STORE === undefined ? 'minio-dialect' : (JSON.parse(TRY_STORE) as S3Address))
}

/** Provides a Redis and a store as the service of the other tests, without any API or worker. */
export async function startStoreTests(project: TestProject, store: string | S3Address): Promise<() => Promise<void>> {
  const run = openRun(join(import.meta.dirname, '../../../.local/run'), console.error)
  try {
    const s3 = typeof store === 'string' ? servers[store]?.start(run) : store
    const [redis, { endpoint, region, accessKey, secretKey }] = await Promise.all([startRedis(run), s3 as S3Address])
    const env: Record<string, string> = {
      REDIS_URL: `${redis.url}/0`,
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      S3_BUCKET: 'publish',
      S3_ACCESS_KEY: accessKey,
      S3_SECRET_KEY: secretKey,
      // Tests read the configuration of an API, but start none.
      AUTH_TOKENS: join(run.directory, 'tokens.json'),
      SECRET_KEYS: `local:${randomBytes(32).toString('base64')}`,
    }
    const service = {
      apiUrl: '',
      tokens: {},
      bucket: 'publish',
      redisUrl: `${redis.url}/0`,
      env,
      directory: run.directory,
    }
    project.provide('service', service)
    project.provide('stack', { redis } as never)
    return () => run.stop()
  } catch (error) {
    await run.stop()
    throw error
  }
}
