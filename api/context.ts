import type { Redis } from 'ioredis'
import { createRequestLimit } from '../shared/auth/request-limit.ts'
import { createTokens } from '../shared/auth/tokens.ts'
import type { Config } from '../shared/config/config.ts'
import { createFinishWaiter } from '../shared/jobs/finish-waiter.ts'
import { createJobRecords, type JobRecords } from '../shared/jobs/job-records.ts'
import { createPacketViews } from '../shared/jobs/packet-views.ts'
import { createSecrets } from '../shared/jobs/stored/secrets.ts'
import type { Releases } from '../shared/lifecycle/releases.ts'
import { openManagerDatabase } from '../shared/models/database.ts'
import { createModels } from '../shared/models/repository.ts'
import type { Logger } from '../shared/observability/log.ts'
import { createMetrics, observeBolt, observeStore } from '../shared/observability/metrics.ts'
import { openQueuesAndOrigins } from '../shared/queue/queues-and-origins.ts'
import { withWaiting } from '../shared/queue/waiting.ts'
import { watchChannel } from '../shared/redis/channel-watch.ts'
import { connectForChanges, connectPatient, connectProducer } from '../shared/redis/connect.ts'
import { openRedis } from '../shared/redis/fit.ts'
import { openStorage } from '../shared/storage/storage.ts'
import { createBudget } from './http/body/budget.ts'

/**
 * Bytes of unanswered lists in one API; one token may use half. Beyond this limit the answer is `503 processBusy`, or
 * `429 tooManyAtOnce` for the token.
 */
const listBytes = 256 * 1024 * 1024

/** Everything a handler may use. */
export type ApiContext = Awaited<ReturnType<typeof connectAll>>

/** Connects to all dependencies; tests replace collaborators with `overrides`. */
export const createApiContext = async (
  config: Config,
  log: Logger,
  releases: Releases,
  overrides: Partial<ApiContext> = {},
): Promise<ApiContext> => ({ ...(await connectAll(config, log, releases)), ...overrides })

async function connectAll(config: Config, log: Logger, releases: Releases) {
  const redis = releases.add('redis', connectProducer(config.redis, log), (it) => it.disconnect())
  await openRedis(redis)
  const watched = watchChannel(redis, connectPatient(config.redis, log))
  const channel = releases.add('redis subscriber', watched, (it) => it.stop())
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
    /** Bytes of request bodies whose response is still pending. */
    bodyBudget: createBudget(config.limits.bodyBytes, 'bytes of request bodies'),
    /** `returnOnly` packets, which this process builds itself. */
    returnOnlyBudget: createBudget(config.limits.returnOnlyAtOnce, 'returnOnly packets'),
    /** Bytes of lists of models, files and jobs whose response is still pending. */
    listBudget: createBudget(listBytes, 'lists'),
    eventStreams: createBudget(config.limits.eventStreams, 'event streams'),
    /** Reads of very many objects or records; each token may run one at a time. */
    longReads: createBudget(Number.POSITIVE_INFINITY, 'long lists', 1),
    /** Dry runs; each token may run one at a time. They also count against `returnOnlyBudget`. */
    dryRunBudget: createBudget(config.limits.returnOnlyAtOnce, 'dry runs', 1),
    records,
    secrets: createSecrets(redis, config.secretKeys),
    ...queuesAndOrigins,
    finished: await createFinishWaiter(channel.subscriber, records),
    channel,
    views: createPacketViews(redis, storage, { isEnabled: config.storage.plainFiles, log, metrics }),
    /** The manager's models; null if no manager database is configured. */
    models: database && createModels(database),
  }
}

/**
 * The records of jobs. With Sentinels, what waits for the replicas has a connection of its own. A withdrawal takes the
 * same one, so that it does not overtake the creation that it withdraws.
 */
export async function recordsOf(
  config: Pick<Config, 'redis'>,
  redis: Redis,
  log: Logger,
  releases: Releases,
): Promise<JobRecords> {
  const records = withWaiting(createJobRecords(redis), redis)
  if (config.redis.sentinel === null) return records
  const changing = releases.add('redis for changes', connectForChanges(config.redis, log), (it) => it.disconnect())
  await changing.connect()
  const { create, withdraw, findByIdempotencyKey, hold, cancel, replicated } = createJobRecords(changing)
  return { ...records, create, withdraw, findByIdempotencyKey, hold, cancel, replicated }
}
