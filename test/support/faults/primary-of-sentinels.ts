import { onTestFinished } from 'vitest'
import type { OwnRedis } from './own-redis.ts'
import { until } from './processes.ts'
import type { ReplicatedRedis } from './replicated-redis.ts'
import { type Member, type SentinelGroup, sentinelGroup } from './sentinel-group.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** How soon the address of the test leads to another primary. */
const followMs = 100

interface PrimaryOfSentinels {
  /** The primary, at an address that follows it. Programs use the URL of the group. */
  redis: ReplicatedRedis
  group: SentinelGroup
}

/** The primary of a Sentinel group, as a Redis that a test may freeze and kill. Stopped when the test finishes. */
export async function primaryOfSentinels(): Promise<PrimaryOfSentinels> {
  const group = await sentinelGroup(onTestFinished)
  let primary = await group.primary()
  let broken = primary
  const hostOf = ({ port }: Member) => `127.0.0.1:${port}`
  const proxy = await startTcpProxy(hostOf(primary))
  onTestFinished(() => proxy.close())
  async function follow() {
    // No Sentinel answers while it is restarted.
    const now = await group.primary().catch(() => primary)
    if (now === primary) return
    primary = now
    proxy.switchTo(hostOf(now))
    proxy.refuse(true)
    proxy.refuse(false)
  }
  const following = setInterval(() => void follow(), followMs)
  onTestFinished(() => clearInterval(following))
  const impossible = async () => {
    throw new Error('a member of a Sentinel group does not do this')
  }
  const own: OwnRedis = {
    canHaveReplicas: false,
    address: { url: `redis://:${group.password}@${proxy.address}`, pid: null },
    database: 0,
    freeze() {
      broken = primary
      broken.freeze()
    },
    wake: () => broken.wake(),
    async kill() {
      broken = primary
      await broken.kill()
    },
    start: () => broken.restart(),
    appendOnlyFiles: () => group.members.map((member) => member.appendOnlyFiles()).join('\n'),
    full: impossible,
    evict: impossible,
    snapshot: impossible,
  }
  return {
    redis: {
      ...own,
      cutWhere: group.cutWhere,
      freezeConnections: impossible,
      asAdministrator: impossible,
      replica: async () => ({ promote: impossible, overtake: impossible }),
    },
    group: {
      ...group,
      async settled() {
        await group.settled()
        await until('the address leads to the primary', async () => (await group.primary()) === primary)
      },
    },
  }
}
