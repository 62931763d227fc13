import { Redis } from 'ioredis'

interface ErrorLog {
  warn(fields: object, message: string): void
}

/**
 * A connection that fails fast, for requests, which must not wait for an unavailable Redis. Errors are logged here;
 * without a listener they would end the process.
 */
export function connectProducer(url: string, log: ErrorLog): Redis {
  return logged(
    new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      connectTimeout: 5_000,
      commandTimeout: 5_000,
      lazyConnect: true,
    }),
    log,
  )
}

/** A connection that waits for an unavailable Redis, for workers and subscribers. BullMQ requires the null. */
export function connectPatient(url: string, log: ErrorLog): Redis {
  return logged(new Redis(url, { maxRetriesPerRequest: null, connectTimeout: 5_000, lazyConnect: true }), log)
}

const awayTexts = /connection is closed|stream isn't writeable|command timed out|max retries per request/i

/** Codes of temporary refusals: Redis is full, starting or busy, cannot save, or is not a primary with replicas. */
const awayCodes = /\b(OOM|LOADING|BUSY|MISCONF|READONLY|NOREPLICAS|MASTERDOWN)\b/

/** Whether a command failed because Redis is unavailable or refuses temporarily. */
export const isRedisAway = (error: unknown): boolean =>
  error instanceof Error && (awayTexts.test(error.message) || awayCodes.test(error.message))

function logged(redis: Redis, log: ErrorLog): Redis {
  redis.on('error', (error) => log.warn({ err: error }, 'redis'))
  return redis
}

/**
 * Requires the policy noeviction, because a Redis that evicts keys loses jobs; also requires that the configured
 * database exists. @throws Error naming the policy, or Redis's own error.
 */
export async function requireFitRedis(redis: Redis): Promise<void> {
  // If the configured database is refused, the client only logs it and continues in database 0.
  await redis.select(redis.options.db ?? 0)
  const policy = infoField(await redis.info('memory'), 'maxmemory_policy')
  if (policy === 'noeviction') return
  throw new Error(
    `Redis has maxmemory-policy ${policy}, which would evict jobs; set it to noeviction: in redis.conf, or with CONFIG SET maxmemory-policy noeviction`,
  )
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
