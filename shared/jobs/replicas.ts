import { Redis } from 'ioredis'
import { replicatedKey } from './redis-keys.ts'

/** Time that replicas may take to have what was written. Beyond it the answer is `503 queueAway`. */
const replicaMs = 2_000

/** A count this old is used again: the Sentinels need longer to notice a replica that is gone. */
const countedMs = 1_000

/** A change is in Redis, but a failover could lose it. */
export class NotReplicatedError extends Error {}

interface Count {
  at: number
  replicas: Promise<number>
}

const counts = new WeakMap<Redis, Count>()

/**
 * Waits until every replica that Sentinels may promote has what this connection wrote or read: otherwise a failover
 * could lose what a client was promised. One replica is not enough, because Sentinels may promote another. Without
 * Sentinels there is nothing to wait for. @throws NotReplicatedError if not all have it in time
 */
export async function requireReplicas(redis: Redis): Promise<void> {
  if (!redis.options.sentinels) return
  const { stream } = redis
  const known = counts.get(redis)
  const isFresh = known !== undefined && performance.now() - known.at < countedMs
  const count = isFresh ? known : { at: performance.now(), replicas: countReplicas(redis, known?.replicas) }
  counts.set(redis, count)
  // Without any replica a failover has nothing to promote, but one that returns could be promoted without the change.
  const wanted = Math.max(1, await count.replicas)
  // The new connection may be to another primary, whose replicas have only what it has itself.
  if (redis.stream !== stream) throw new NotReplicatedError('the connection to Redis was lost after the change')
  // WAIT covers only what its own connection wrote. A write makes it cover everything that Redis had before.
  const [, have] = await Promise.all([redis.set(replicatedKey, ''), redis.wait(wanted, replicaMs)])
  if (have >= wanted) return
  throw new NotReplicatedError(`${wanted} replicas of Redis do not all have the change after ${replicaMs} ms`)
}

/** The replicas that a Sentinel considers alive; the last number if no Sentinel answers. */
async function countReplicas({ options }: Redis, last: Promise<number> | undefined): Promise<number> {
  for (const { host, port } of options.sentinels ?? []) {
    const sentinel = new Redis({
      ...{ host: host ?? '', port: port ?? 26_379, lazyConnect: true, retryStrategy: () => null },
      ...{ connectTimeout: 1_000, commandTimeout: 1_000, enableReadyCheck: false },
      username: options.sentinelUsername ?? '',
      password: options.sentinelPassword ?? '',
      ...(options.sentinelTLS ? { tls: options.sentinelTLS } : {}),
    })
    sentinel.on('error', () => {})
    try {
      const replicas = (await sentinel.call('SENTINEL', 'REPLICAS', options.name ?? '')) as string[][]
      const flagsOf = (replica: string[]) => replica[replica.indexOf('flags') + 1] ?? ''
      return replicas.filter((replica) => !/down|disconnected/.test(flagsOf(replica))).length
    } catch {
      // The next Sentinel may answer.
    } finally {
      sentinel.disconnect()
    }
  }
  if (last === undefined) throw new NotReplicatedError('no Sentinel says how many replicas there are')
  return last
}
