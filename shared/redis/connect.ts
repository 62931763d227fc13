import { setTimeout as delay } from 'node:timers/promises'
import { Redis, type RedisOptions, SentinelConnector } from 'ioredis'
import type { RedisAddress, SentinelGroup } from '../config/redis-address.ts'
import { isErrorReply, refusalOf } from '../errors/redis-refusal.ts'
import { hideReconnection } from './reconnection.ts'
import { NotReplicatedError } from './replicas.ts'

interface ErrorLog {
  warn(fields: object, message: string): void
}

/** Time that a connection of an API to Redis waits for an answer. Beyond this limit the connection is made again. */
const producerSilenceMs = 10_000
/**
 * Time that a connection of a worker to Redis waits for an answer. Beyond this limit the connection is made again.
 * BullMQ's longest blocking command takes 10 s.
 */
const patientSilenceMs = 12_000

const failingFast = {
  enableOfflineQueue: false,
  /** Reconnections that a command waits for. Beyond this limit the answer is `503 queueAway`. */
  maxRetriesPerRequest: 1,
  commandTimeout: 5_000,
  socketTimeout: producerSilenceMs,
}

/**
 * A connection that fails fast, for requests, which must not wait for an unavailable Redis. Errors are logged here;
 * without a listener they would end the process.
 */
export function connectProducer(address: RedisAddress, log: ErrorLog): Redis {
  return hideReconnection(connect(address, log, failingFast))
}

/**
 * A connection for changes that must outlast a failover, each of which waits for the replicas and so keeps all later
 * commands of the connection waiting. Nothing is sent again on a new connection, which may be to another server.
 */
export function connectForChanges(address: RedisAddress, log: ErrorLog): Redis {
  return hideReconnection(connect(address, log, { ...failingFast, autoResendUnfulfilledCommands: false }))
}

/** A connection that waits for an unavailable Redis, for workers and subscribers. BullMQ requires the null. */
export function connectPatient(address: RedisAddress, log: ErrorLog): Redis {
  const redis = connect(address, log, { maxRetriesPerRequest: null, socketTimeout: patientSilenceMs })
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
    if (isErrorReply(error)) await delay(refusalMs)
    throw error
  }
}

function connect({ url, sentinel }: RedisAddress, log: ErrorLog, options: RedisOptions): Redis {
  const common = {
    ...options,
    connectTimeout: 5_000,
    lazyConnect: true,
    reconnectOnError: createReconnectOnError(),
    // It would send commands that Redis 6.2 does not know.
    disableClientInfo: true,
  }
  const redis = sentinel === null ? new Redis(url, common) : new Redis({ ...common, ...optionsOf(sentinel) })
  redis.on('error', (error) => log.warn({ err: error }, 'redis'))
  // Tried again with the next Sentinel.
  redis.on('sentinelError', (error) => log.warn({ err: error }, 'sentinel'))
  return redis
}

const reconnectEveryMs = 1_000

/**
 * Behind a stable address another server may have become the primary while this connection stayed with the old one. The
 * refused command fails, because sending it again could go on without end.
 */
function createReconnectOnError() {
  let last = Number.NEGATIVE_INFINITY
  return (error: Error): boolean => {
    if (refusalOf(error)?.remedy !== 'reconnect' || performance.now() - last < reconnectEveryMs) return false
    last = performance.now()
    return true
  }
}

/**
 * Listens to no Sentinel while it asks one for the primary. In ioredis 6.0.0 a failover that is announced in that time
 * ends the client for good: every command fails until the process restarts.
 */
class FailoverConnector extends SentinelConnector {
  override connect(...args: Parameters<SentinelConnector['connect']>): ReturnType<SentinelConnector['connect']> {
    this.disconnect()
    return super.connect(...args)
  }
}

function optionsOf({ database, hasTls, ...group }: SentinelGroup): RedisOptions {
  return {
    // The client's own defaults of users and passwords are null, too.
    ...(group as RedisOptions),
    db: database,
    sentinelCommandTimeout: 5_000,
    ...(hasTls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    // Without it a client of a frozen primary stays with it after the failover, and a worker blocks for ever.
    failoverDetector: true,
    Connector: FailoverConnector as RedisOptions['Connector'],
    // A Sentinel that was restarted must be heard again soon, or its message of a failover is missed.
    sentinelReconnectStrategy: () => 1_000,
  }
}

/** Whether a command failed because Redis is unavailable, or refuses what the work needs. */
export const isRedisAway = (error: unknown): boolean => error instanceof NotReplicatedError || refusalOf(error) !== null

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
