import type { Redis } from 'ioredis'
import { replicatedKey } from './keys.ts'
import { askSentinels, promotableReplicas, type SentinelView } from './promotable.ts'

/** Time that replicas may take to have what was written. Beyond this limit the answer is `503 queueAway`. */
const replicaMs = 2_000

/** A count this old is used again: Sentinels do not promote a replica so soon after they found it. */
const countedMs = 1_000

/** A change is in Redis, but a failover could lose it. */
export class NotReplicatedError extends Error {}

/** A `WAIT` that several changes share, because Redis keeps all later commands of a connection waiting during it. */
interface Round {
  isSent: boolean
  /** The connection that it was sent on, the replicas that were wanted, and those that had everything. */
  result: Promise<{ stream: Redis['stream']; wanted: number; have: number }>
}

/** The number of replicas that must have a change, and the answers that say so. */
interface Counted {
  views: SentinelView[]
  replicas: number
}

interface Count {
  at: number
  /** The connection to the primary whose replicas were counted. */
  stream: Redis['stream']
  counted: Promise<Counted>
}

const rounds = new WeakMap<Redis, Round>()
const counts = new WeakMap<Redis, Count>()

/**
 * Waits until every replica that Sentinels may promote has what this connection wrote or read: otherwise a failover
 * could lose what a client was promised. One replica is not enough, because Sentinels may promote another. Without
 * Sentinels there is nothing to wait for. @throws NotReplicatedError if not all have it in time
 */
export async function requireReplicas(redis: Redis): Promise<void> {
  if (!redis.options.sentinels) return
  const { stream } = redis
  const last = rounds.get(redis)
  // A `WAIT` that was sent before the change does not cover it.
  const round = last === undefined || last.isSent ? beginRound(redis, last) : last
  const { stream: waited, wanted, have } = await round.result
  // The new connection may be to another primary, whose replicas have only what it has itself.
  if (waited !== stream) throw new NotReplicatedError('the connection to Redis was lost after the change')
  if (have >= wanted) return
  throw new NotReplicatedError(`${wanted} replicas of Redis do not all have the change after ${replicaMs} ms`)
}

function beginRound(redis: Redis, last: Round | undefined): Round {
  async function wait() {
    // Sent only then, with a new count: in a queue of `WAIT`s, each would keep the later ones waiting.
    await last?.result.catch(() => {})
    const { stream } = redis
    // Without any replica a failover has nothing to promote, but one that returns could be promoted without the change.
    const wanted = Math.max(1, (await replicasOf(redis)).replicas)
    if (redis.stream !== stream) throw new NotReplicatedError('the connection to Redis was lost before the wait')
    round.isSent = true
    // WAIT covers only what its own connection wrote. A write makes it cover everything that Redis had before.
    const [, have] = await Promise.all([redis.set(replicatedKey, ''), redis.wait(wanted, replicaMs)])
    // While a connection is made again, the client still has the old one, and commands wait for the new one.
    if (redis.stream !== stream) throw new NotReplicatedError('the connection to Redis was lost before the wait')
    return { stream, wanted, have }
  }
  const round: Round = { isSent: false, result: wait().finally(() => (round.isSent = true)) }
  rounds.set(redis, round)
  return round
}

function replicasOf(redis: Redis): Promise<Counted> {
  const { stream } = redis
  const last = counts.get(redis)
  const known = last?.stream === stream ? last : undefined
  if (known !== undefined && performance.now() - known.at < countedMs) return known.counted
  const count = { at: performance.now(), stream, counted: countReplicas(redis, known?.counted) }
  counts.set(redis, count)
  return count.counted
}

/** See `promotableReplicas`. If no Sentinel answers, their last answers stay. */
async function countReplicas(redis: Redis, last: Promise<Counted> | undefined): Promise<Counted> {
  const info = await Promise.all([redis.info('server'), redis.info('replication')])
  const views = await askSentinels(redis).catch(async (cause) => {
    const known = await last
    if (known === undefined) throw new NotReplicatedError('no Sentinel says how many replicas there are', { cause })
    return known.views
  })
  const replicas = promotableReplicas(views, redis.options.sentinels?.length ?? 0, info.join('\n'))
  if (replicas === null) throw new NotReplicatedError('no Sentinel considers this Redis the primary')
  return { views, replicas }
}
