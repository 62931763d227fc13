import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { type OwnRedis, ownRedis } from './own-redis.ts'
import { until } from './processes.ts'
import { startTcpProxy } from './tcp-proxy.ts'

interface Replica {
  /** Kills the primary and takes its place. */
  promote(): Promise<void>
  /**
   * Takes the place of the primary for new connections. The old ones stay with the old primary, which becomes a replica.
   * @param whenReadOnly is called once the old primary accepts nothing more, before any of its data is lost
   */
  overtake(whenReadOnly: () => void): Promise<void>
}

/** A Redis at a stable address, whose connections can be cut and which a replica can replace. */
export interface ReplicatedRedis extends OwnRedis {
  /** Called for each chunk in either direction to decide whether to cut its connection; null: never. */
  cutWhere(isCutHere: (() => boolean) | null): void
  /** Every connection so far loses all that is sent on it; new ones work. */
  freezeConnections(): void
  /** Runs commands of an administrator, which no fault of connections reaches. */
  asAdministrator<Result>(work: (redis: Redis) => Promise<Result>): Promise<Result>
  /** @returns a replica with the primary's current data, which receives no further updates. */
  replica(): Promise<Replica>
}

/** Stopped when the calling test finishes. */
export async function replicatedRedis(): Promise<ReplicatedRedis> {
  let primary = await ownRedis()
  const all = [primary]
  let isCutHere: (() => boolean) | null = null
  const known = new Set<object>()
  const frozen = new WeakSet<object>()
  const verdict = (_chunk: Buffer, connection: object) => {
    known.add(connection)
    if (frozen.has(connection)) return 'drop'
    return isCutHere?.() ? 'cut' : 'pass'
  }
  const proxy = await startTcpProxy(hostOf(primary), { fromClient: verdict, fromServer: verdict })
  onTestFinished(() => proxy.close())
  async function snapshotAsReplica() {
    await primary.snapshot()
    const promote = async () => {
      await primary.kill()
      await primary.start('from the snapshot')
    }
    const overtake = (whenReadOnly: () => void) => {
      whenReadOnly()
      return promote()
    }
    return { promote, overtake }
  }

  return {
    canHaveReplicas: primary.canHaveReplicas,
    address: { url: `redis://${proxy.address}`, pid: null },
    database: primary.database,
    freeze: () => primary.freeze(),
    wake: () => primary.wake(),
    kill: () => primary.kill(),
    full: (isFull) => primary.full(isFull),
    evict: (policy) => primary.evict(policy),
    appendOnlyFiles: () => all.map((redis) => redis.appendOnlyFiles()).join('\n'),
    snapshot: () => primary.snapshot(),
    start: (how) => primary.start(how),
    cutWhere(next) {
      isCutHere = next
    },
    freezeConnections() {
      for (const connection of known) frozen.add(connection)
      known.clear()
    },
    asAdministrator: (work) => withClient(primary, work),
    async replica() {
      // Equivalent for clients: a Redis with older data takes over.
      if (!primary.canHaveReplicas) return snapshotAsReplica()
      const standby = await ownRedis()
      all.push(standby)
      await followOnce(standby, primary)
      const promote = async () => {
        await primary.kill()
        await withClient(standby, (redis) => redis.replicaof('NO', 'ONE'))
        proxy.switchTo(hostOf(standby))
        primary = standby
      }
      const overtake = async (whenReadOnly: () => void) => {
        const old = primary
        const [host, port] = hostOf(standby).split(':') as [string, string]
        // It gets no data of a replica that has no primary, so it keeps its own until the promotion.
        await withClient(old, (redis) => redis.replicaof(host, port))
        whenReadOnly()
        await withClient(standby, (redis) => redis.replicaof('NO', 'ONE'))
        proxy.switchTo(hostOf(standby))
        primary = standby
        await withClient(old, (redis) =>
          until('the old primary follows', async () =>
            (await redis.info('replication')).includes('master_link_status:up'),
          ),
        )
      }
      return { promote, overtake }
    },
  }
}

/** Copies all data from a primary, then disconnects from it. */
async function followOnce(standby: OwnRedis, primary: OwnRedis): Promise<void> {
  const link = await startTcpProxy(hostOf(primary))
  const [host, port] = link.address.split(':') as [string, string]
  await withClient(standby, async (redis) => {
    await redis.replicaof(host, port)
    await until('the replica has a link', async () => (await redis.info('replication')).includes('link_status:up'))
    // Replication is ordered: once this write has arrived, so has everything before it.
    await withClient(primary, (origin) => origin.multi().set('replica', 'here').del('replica').exec())
    const at = await withClient(primary, (origin) => origin.info('replication'))
    const offset = Number(/master_repl_offset:(\d+)/.exec(at)?.[1])
    const arrived = async () => Number(/slave_repl_offset:(\d+)/.exec(await redis.info('replication'))?.[1])
    await until('the replica is in step', async () => (await arrived()) >= offset)
  })
  link.close()
}

const hostOf = ({ address }: OwnRedis) => new URL(address.url).host

async function withClient<Result>({ address }: OwnRedis, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(address.url)
  try {
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}
