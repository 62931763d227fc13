import type { Redis } from 'ioredis'
import type { Config } from '../shared/config/config.ts'
import { createJobRecords, type JobRecords } from '../shared/jobs/record.ts'
import { connectPatient, requireNoEviction } from '../shared/jobs/redis.ts'
import { createSecrets, type Secrets } from '../shared/jobs/secrets.ts'
import type { Releases } from '../shared/lifecycle/releases.ts'
import type { Logger } from '../shared/observability/log.ts'
import { createMetrics, type Metrics } from '../shared/observability/metrics.ts'
import { openStorage, type Storage } from '../shared/storage/storage.ts'

/** Everything a job may use. */
export interface WorkerContext extends Storage {
  config: Config
  log: Logger
  metrics: Metrics
  redis: Redis
  records: JobRecords
  secrets: Secrets
}

export async function createWorkerContext(
  config: Config,
  log: Logger,
  releases: Releases,
  overrides: Partial<WorkerContext> = {},
): Promise<WorkerContext> {
  const redis = releases.add('redis', connectPatient(config.redis.url, log), (it) => it.disconnect())
  await redis.connect()
  await requireNoEviction(redis)
  const storage = await openStorage(config.storage)
  return {
    ...storage,
    config,
    log,
    metrics: createMetrics(),
    redis,
    records: createJobRecords(redis),
    // A worker only reads secrets; how long they live is said where they are stored.
    secrets: createSecrets(redis, config.secretKeys, 0),
    ...overrides,
  }
}
