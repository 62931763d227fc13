import { setTimeout as delay } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'
import type { RedisAddress, SentinelGroup } from '../config/redis-address.ts'
import { withTimeout } from '../lifecycle/timeout.ts'
import { NotReplicatedError } from './replicas.ts'

interface ErrorLog {
  warn(fields: object, message: string): void
}

const failingFast = { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 5_000 }

/**
 * A connection that fails fast, for requests, which must not wait for an unavailable Redis. Errors are logged here;
 * without a listener they would end the process.
 */
export function connectProducer(address: RedisAddress, log: ErrorLog): Redis {
  return connect(address, log, failingFast)
}

/**
 * A connection for changes that must outlast a failover, each of which waits for the replicas and so keeps all later
 * commands of the connection waiting. Nothing is sent again on a new connection, which may be to another server.
 */
export function connectForChanges(address: RedisAddress, log: ErrorLog): Redis {
  return connect(address, log, { ...failingFast, autoResendUnfulfilledCommands: false })
}

/** A connection that waits for an unavailable Redis, for workers and subscribers. BullMQ requires the null. */
export function connectPatient(address: RedisAddress, log: ErrorLog): Redis {
  const redis = connect(address, log, { maxRetriesPerRequest: null })
  const send = redis.sendCommand.bind(redis)
  redis.sendCommand = (command, stream) => {
    const answer = slowIfRefused(send(command, stream) as Promise<unknown>)
    // A pipeline handles the command's own promise.
    answer.catch(() => {})
    return answer
  }
  return redis
}

const refusalMs = 1_000

/** BullMQ repeats a refused command at once: without a pause, workers would fill a processor and their logs. */
async function slowIfRefused(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer
  } catch (error) {
    if (isRefusal(error)) await delay(refusalMs)
    throw error
  }
}

function connect({ url, sentinel }: RedisAddress, log: ErrorLog, options: RedisOptions): Redis {
  const common = { ...options, connectTimeout: 5_000, lazyConnect: true }
  const redis = sentinel === null ? new Redis(url, common) : new Redis({ ...common, ...optionsOf(sentinel) })
  redis.on('error', (error) => log.warn({ err: error }, 'redis'))
  // Tried again with the next Sentinel.
  redis.on('sentinelError', (error) => log.warn({ err: error }, 'sentinel'))
  return redis
}

function optionsOf({ database, hasTls, ...group }: SentinelGroup): RedisOptions {
  return {
    // The client's own defaults of users and passwords are null, too.
    ...(group as RedisOptions),
    ...{ db: database, sentinelCommandTimeout: 5_000 },
    ...(hasTls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    // Without it a client of a frozen primary stays with it after the failover, and a worker blocks for ever.
    failoverDetector: true,
    // A Sentinel that was restarted must be heard again soon, or its message of a failover is missed.
    sentinelReconnectStrategy: () => 1_000,
  }
}

const awayTexts =
  /connection is closed|sentinels are unreachable|stream isn't writeable|command timed out|max retries per request/i

/** Codes of temporary refusals: Redis is full, starting or busy, cannot save, or is not a primary with replicas. */
const awayCodes = /\b(OOM|LOADING|BUSY|MISCONF|READONLY|NOREPLICAS|MASTERDOWN|UNBLOCKED)\b/

/** Whether Redis refused a command temporarily. */
const isRefusal = (error: unknown): boolean => error instanceof Error && awayCodes.test(error.message)

/** Whether a command failed because Redis is unavailable or refuses temporarily. */
export const isRedisAway = (error: unknown): boolean =>
  isRefusal(error) || error instanceof NotReplicatedError || (error instanceof Error && awayTexts.test(error.message))

/** Time that the first connection may take. Beyond it the program ends. With Sentinels the client would try for ever. */
const firstConnectionMs = 30_000

/** Opens the first connection of a program. @throws Error if Redis is not reached */
export async function openRedis(redis: Redis): Promise<void> {
  await withTimeout(redis.connect(), firstConnectionMs)
  await requireFitRedis(redis)
}

/**
 * Requires one primary that keeps all keys, and the configured database. @throws Error naming what is unfit, or Redis's
 * own error
 */
export async function requireFitRedis(redis: Redis): Promise<void> {
  // If the configured database is refused, the client only logs it and continues in database 0.
  await redis.select(redis.options.db ?? 0)
  const info = await redis.info()
  const unfit = unsupportedServer(info)
  if (unfit !== null) throw new Error(`Redis is ${unfit}`)
  const policy = infoField(info, 'maxmemory_policy')
  if (policy === 'noeviction') return
  throw new Error(
    `Redis has maxmemory-policy ${policy}, which would evict jobs; set it to noeviction: in redis.conf, or with CONFIG SET maxmemory-policy noeviction`,
  )
}

/**
 * Why the service cannot run on a server with this INFO; null if it can. Scripts change a job's record, its claim and
 * lists of keys that they find on the way, all at once, so one server must hold all keys and allow undeclared ones.
 */
export function unsupportedServer(info: string): string | null {
  if (infoField(info, 'redis_mode') === 'cluster') return 'a cluster, which splits the keys of a job: use one primary'
  if (infoField(info, 'dragonfly_version') === '') return null
  return 'Dragonfly, which refuses scripts that find keys on the way: use Redis or Valkey'
}

/** A field of Redis's INFO; '' if it is missing. */
export function infoField(info: string, name: string): string {
  const line = info.split('\n').find((text) => text.startsWith(`${name}:`))
  return line?.slice(name.length + 1).trim() ?? ''
}

/** Redis's time, epoch milliseconds. Ages are compared by it, because processes' clocks may differ by minutes. */
export async function redisNow(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time()
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000)
}
