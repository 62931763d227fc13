import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { type OwnRedis, ownRedis } from './own-redis.ts'
import { until } from './processes.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** A Redis at an address that stays, whose connections can be cut and whose place a replica can take. */
export interface ReplicatedRedis extends OwnRedis {
  /** Asked at each chunk that passes, in either direction, whether its connection is cut there; null: none is. */
  cutWhere(isCutHere: (() => boolean) | null): void
  /** @returns a replica that knows all that its primary does now, and hears of nothing more. */
  replica(): Promise<{ /** Takes the place of the primary, which is killed. */ promote(): Promise<void> }>
}

/** It ends with the test that calls it. */
export async function replicatedRedis(): Promise<ReplicatedRedis> {
  let primary = await ownRedis()
  const all = [primary]
  let isCutHere: (() => boolean) | null = null
  const verdict = () => (isCutHere?.() ? 'cut' : 'pass')
  const proxy = await startTcpProxy(hostOf(primary), { fromClient: verdict, fromServer: verdict })
  onTestFinished(() => proxy.close())
  async function snapshotAsReplica() {
    await primary.snapshot()
    const promote = async () => {
      await primary.kill()
      await primary.start('from the snapshot')
    }
    return { promote }
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
    async replica() {
      // To its clients the same: one that is behind has taken its place.
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
      return { promote }
    },
  }
}

/** Copies everything from a primary, then loses it. */
async function followOnce(standby: OwnRedis, primary: OwnRedis): Promise<void> {
  const link = await startTcpProxy(hostOf(primary))
  const [host, port] = link.address.split(':') as [string, string]
  await withClient(standby, async (redis) => {
    await redis.replicaof(host, port)
    await until('the replica has a link', async () => (await redis.info('replication')).includes('link_status:up'))
    // One stream in order: once this write has arrived, so has everything before.
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
