import type { Redis } from 'ioredis'
import { createRequestLimit, type LimitRequests } from '../shared/auth/request-limit.ts'
import { type Authenticate, createTokens } from '../shared/auth/tokens.ts'
import type { Config } from '../shared/config/config.ts'
import type { Callbacks } from '../shared/jobs/callbacks.ts'
import { createFinishWaiter, type FinishWaiter } from '../shared/jobs/finish-waiter.ts'
import { createJobRecords, type JobRecords } from '../shared/jobs/job-records.ts'
import { createPacketViews, type PacketViews } from '../shared/jobs/packet-views.ts'
import type { JobQueue } from '../shared/jobs/queue.ts'
import { openQueuesAndOrigins } from '../shared/jobs/queues-and-origins.ts'
import { connectForChanges, connectPatient, connectProducer, openRedis } from '../shared/jobs/redis.ts'
import { createSecrets, type Secrets } from '../shared/jobs/secrets.ts'
import type { Releases } from '../shared/lifecycle/releases.ts'
import { openManagerDatabase } from '../shared/models/database.ts'
import { type AllModels, createModels } from '../shared/models/repository.ts'
import type { Logger } from '../shared/observability/log.ts'
import { createMetrics, type Metrics, observeBolt, observeStore } from '../shared/observability/metrics.ts'
import type { KeptOrigins } from '../shared/origin/kept-origins.ts'
import { openStorage, type Storage } from '../shared/packets/storage.ts'
import { type Budget, createBudget } from './http/budget.ts'

/**
 * Bytes of unanswered lists in one API; one token may use half. Beyond it the answer is `503 processBusy`, or
 * `429 tooManyAtOnce` for the token.
 */
const listBytes = 256 * 1024 * 1024

/** Everything a handler may use. */
export interface ApiContext extends Storage {
  config: Config
  log: Logger
  metrics: Metrics
  redis: Redis
  authenticate: Authenticate
  limitRequests: LimitRequests
  /** Bytes of request bodies whose response is still pending. */
  bodyBudget: Budget
  /** `returnOnly` packets, which this process builds itself. */
  returnOnlyBudget: Budget
  /** Bytes of lists of models, files and jobs whose response is still pending. */
  listBudget: Budget
  /** Open event streams. */
  eventStreams: Budget
  /** Reads of very many objects or records; each token may run one at a time. */
  longReads: Budget
  /** Dry runs; each token may run one at a time. They also count against `returnOnlyBudget`. */
  dryRunBudget: Budget
  records: JobRecords
  secrets: Secrets
  queue: JobQueue
  callbacks: Callbacks
  finished: FinishWaiter
  views: PacketViews
  keptOrigins: KeptOrigins
  /** The manager's models; null if no manager database is configured. */
  models: AllModels | null
}

/** Connects to all dependencies; tests replace collaborators with `overrides`. */
export async function createApiContext(
  config: Config,
  log: Logger,
  releases: Releases,
  overrides: Partial<ApiContext> = {},
): Promise<ApiContext> {
  const redis = releases.add('redis', connectProducer(config.redis, log), (it) => it.disconnect())
  await openRedis(redis)
  const subscriber = releases.add('redis subscriber', connectPatient(config.redis, log), (it) => it.disconnect())
  const metrics = createMetrics()
  metrics.eventStreamsLimit.set(config.limits.eventStreams)
  const storage = await openStorage(config.storage, observeStore(metrics))
  const records = await recordsOf(config, redis, log, releases)
  const manager = config.manager && openManagerDatabase(config.manager, log, observeBolt(metrics, 'manager'))
  const database = manager && releases.add('manager database', manager, (it) => it.close())
  const queuesAndOrigins = openQueuesAndOrigins(redis, metrics, releases)
  return {
    ...storage,
    config,
    log,
    metrics,
    redis,
    authenticate: createTokens(config.auth, log, metrics.signingKeysFailing),
    limitRequests: createRequestLimit(redis, config.limits.requestsPerMinute),
    bodyBudget: createBudget(config.limits.bodyBytes, 'bytes of request bodies'),
    returnOnlyBudget: createBudget(config.limits.returnOnlyAtOnce, 'returnOnly packets'),
    listBudget: createBudget(listBytes, 'lists'),
    eventStreams: createBudget(config.limits.eventStreams, 'event streams'),
    longReads: createBudget(Number.POSITIVE_INFINITY, 'long lists', 1),
    dryRunBudget: createBudget(config.limits.returnOnlyAtOnce, 'dry runs', 1),
    records,
    secrets: createSecrets(redis, config.secretKeys),
    ...queuesAndOrigins,
    finished: await createFinishWaiter(subscriber, records),
    views: createPacketViews(redis, storage, { isEnabled: config.storage.plainFiles, log, metrics }),
    models: database && createModels(database),
    ...overrides,
  }
}

/** The records of jobs. With Sentinels, what waits for the replicas has a connection of its own. */
async function recordsOf(config: Config, redis: Redis, log: Logger, releases: Releases): Promise<JobRecords> {
  const records = createJobRecords(redis)
  if (config.redis.sentinel === null) return records
  const changing = releases.add('redis for changes', connectForChanges(config.redis, log), (it) => it.disconnect())
  await changing.connect()
  const { create, findByIdempotencyKey, cancel, replicated } = createJobRecords(changing)
  return { ...records, create, findByIdempotencyKey, cancel, replicated }
}
