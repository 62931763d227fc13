import type { Redis } from 'ioredis'
import type { Config } from '../shared/config/config.ts'
import type { Callbacks } from '../shared/jobs/callbacks.ts'
import { createFleet } from '../shared/jobs/fleet.ts'
import { createJobRecords, type JobRecords } from '../shared/jobs/job-records.ts'
import { createPacketViews, type PacketViews } from '../shared/jobs/packet-views.ts'
import type { JobQueue } from '../shared/jobs/queue.ts'
import { openQueuesAndOrigins } from '../shared/jobs/queues-and-origins.ts'
import { connectPatient, openRedis } from '../shared/jobs/redis.ts'
import { createSecrets, type Secrets } from '../shared/jobs/secrets.ts'
import { createSliceRecords, type SliceRecords } from '../shared/jobs/slice-record.ts'
import { createFailpoint, type Failpoint } from '../shared/lifecycle/failpoint.ts'
import type { Releases } from '../shared/lifecycle/releases.ts'
import type { Logger } from '../shared/observability/log.ts'
import { createMetrics, type Metrics, observeStore } from '../shared/observability/metrics.ts'
import type { KeptOrigins } from '../shared/origin/kept-origins.ts'
import { openStorage, type Storage } from '../shared/packets/storage.ts'
import { type FairShare, startFairShare } from './fair-share.ts'
import { createSlots, type Slots } from './slots.ts'

/** Dependencies of a job. */
export interface WorkerContext extends Storage {
  config: Config
  log: Logger
  metrics: Metrics
  redis: Redis
  records: JobRecords
  slices: SliceRecords
  secrets: Secrets
  queue: JobQueue
  callbacks: Callbacks
  views: PacketViews
  keptOrigins: KeptOrigins
  failpoint: Failpoint
  slots: Slots
  fairShare: FairShare
}

export async function createWorkerContext(
  config: Config,
  log: Logger,
  releases: Releases,
  overrides: Partial<WorkerContext> = {},
): Promise<WorkerContext> {
  const redis = releases.add('redis', connectPatient(config.redis, log), (it) => it.disconnect())
  await openRedis(redis)
  const metrics = createMetrics()
  const storage = await openStorage(config.storage, observeStore(metrics))
  const fleet = createFleet(redis, config.worker.concurrency)
  const fairShare = releases.add('share of the slots', startFairShare(fleet), (it) => it.stop())
  const queuesAndOrigins = openQueuesAndOrigins(redis, metrics, releases)
  return {
    ...storage,
    config,
    log,
    metrics,
    redis,
    records: createJobRecords(redis),
    slices: createSliceRecords(redis),
    secrets: createSecrets(redis, config.secretKeys),
    ...queuesAndOrigins,
    views: createPacketViews(redis, storage, { isEnabled: config.storage.plainFiles, log, metrics }),
    failpoint: createFailpoint(config.failpoint, config.worker.lockSeconds),
    slots: createSlots(config.worker.concurrency, metrics),
    fairShare,
    ...overrides,
  }
}
