import { Redis } from 'ioredis'

interface ErrorLog {
  warn(fields: object, message: string): void
}

/**
 * A connection that fails fast: for requests, which must not wait for a Redis that is away. Errors are logged here;
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

/** A patient connection: for workers and subscribers, which wait until Redis is back. BullMQ demands the null. */
export function connectPatient(url: string, log: ErrorLog): Redis {
  return logged(new Redis(url, { maxRetriesPerRequest: null, connectTimeout: 5_000, lazyConnect: true }), log)
}

const awayTexts = /connection is closed|stream isn't writeable|command timed out|max retries per request/i

/** Codes with which Redis refuses for a while: it is full, starting or busy, cannot save, or is no primary with replicas. */
const awayCodes = /\b(OOM|LOADING|BUSY|MISCONF|READONLY|NOREPLICAS|MASTERDOWN)\b/

/** Did a command fail because Redis is away, or refuses for a while? */
export const isRedisAway = (error: unknown): boolean =>
  error instanceof Error && (awayTexts.test(error.message) || awayCodes.test(error.message))

function logged(redis: Redis, log: ErrorLog): Redis {
  redis.on('error', (error) => log.warn({ err: error }, 'redis'))
  return redis
}

/**
 * Redis that evicts keys would lose jobs, so anything but noeviction is refused at start; and so is a database that it
 * does not have. @throws Error naming the policy, or as Redis says.
 */
export async function requireFitRedis(redis: Redis): Promise<void> {
  // The client only logs when the database it was told to use is refused, and goes on in database 0.
  await redis.select(redis.options.db ?? 0)
  const policy = /maxmemory_policy:(\S+)/.exec(await redis.info('memory'))?.[1]
  if (policy === 'noeviction') return
  throw new Error(
    `Redis has maxmemory-policy ${policy}, which would evict jobs; set it to noeviction: in redis.conf, or with CONFIG SET maxmemory-policy noeviction`,
  )
}

/** Redis's time, epoch milliseconds: ages are compared by it, for the clocks of the processes may be minutes apart. */
export async function redisNow(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time()
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000)
}
