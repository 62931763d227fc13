import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { redisServer } from '../../../dev/stack/native/redis.ts'
import { freePort } from '../../../dev/stack/ports.ts'
import type { RunningProcess } from '../../../dev/stack/processes.ts'
import { openRun } from '../../../dev/stack/run.ts'
import { until } from './processes.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

const runs = join(import.meta.dirname, '../../../.local/run')
const groupName = 'packets'
const passwords = { redis: 'redis-canary', sentinel: 'sentinel-canary' }
const sentinelCount = 3
const quorum = 2
const downAfterMs = 1_500

export interface Member {
  freeze(): void
  wake(): void
  port: number
  /** Everybody reaches the member through it, itself excepted. */
  proxy: TcpProxy
  kill(): Promise<void>
  /** Starts a killed member again, with its data. */
  restart(): Promise<void>
}

/** A primary with two replicas, and Sentinels that promote one of these when the primary does not answer. */
export interface SentinelGroup {
  /** As `REDIS_URL`, with the passwords of both roles. */
  url: string
  /** The member that the Sentinels consider the primary. */
  primary(): Promise<Member>
  /** Waits until the Sentinels have promoted another member. */
  promoted(before: Member): Promise<Member>
  /** Starts a failover although the primary answers. */
  failOver(): Promise<void>
  /** Restarts all Sentinels, one after the other. */
  restartSentinels(): Promise<void>
  client(member: Member): Redis
  members: readonly Member[]
}

/** Real servers, each behind a proxy that can cut it off. Stopped by `whenDone`. */
export async function sentinelGroup(whenDone: (end: () => Promise<void>) => void): Promise<SentinelGroup> {
  const run = openRun(runs, console.error)
  whenDone(() => run.stop())
  const command = await redisServer(run)
  const portOf = (proxy: TcpProxy) => Number(proxy.address.split(':')[1])

  async function startMember(name: string, primary: TcpProxy | null): Promise<Member> {
    const directory = join(run.directory, name)
    await mkdir(directory, { recursive: true })
    const port = await freePort()
    const proxy = await startTcpProxy(`127.0.0.1:${port}`)
    whenDone(async () => proxy.close())
    const args = [
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', directory, '--appendonly', 'yes'],
      ...['--maxmemory-policy', 'noeviction', '--requirepass', passwords.redis, '--masterauth', passwords.redis],
      ...['--replica-announce-ip', '127.0.0.1', '--replica-announce-port', String(portOf(proxy))],
      // A primary that is cut off takes no more writes.
      ...['--min-replicas-to-write', '1', '--min-replicas-max-lag', '2'],
      ...(primary === null ? [] : ['--replicaof', '127.0.0.1', String(portOf(primary))]),
    ]
    const start = () => run.start({ name, command, args })
    let server = await start()
    return {
      ...{ port, proxy },
      freeze: () => server.kill('SIGSTOP'),
      wake: () => server.kill('SIGCONT'),
      async kill() {
        server.kill('SIGKILL')
        await server.exited
      },
      async restart() {
        server = await start()
      },
    }
  }

  const first = await startMember('redis-1', null)
  const members = [first, await startMember('redis-2', first.proxy), await startMember('redis-3', first.proxy)]
  const client = ({ port }: Pick<Member, 'port'>, password = passwords.redis) => {
    const redis = new Redis(port, '127.0.0.1', { password, retryStrategy: () => 100, maxRetriesPerRequest: null })
    redis.on('error', () => {})
    return redis
  }
  for (const member of members.slice(1)) {
    const replica = client(member)
    await until('the replica has a link', async () => (await replica.info('replication')).includes('link_status:up'))
    replica.disconnect()
  }

  const ports: number[] = []
  const sentinels: { start: () => Promise<RunningProcess>; process: RunningProcess }[] = []
  for (let at = 1; at <= sentinelCount; at++) {
    const directory = join(run.directory, `sentinel-${at}`)
    await mkdir(directory, { recursive: true })
    const port = await freePort()
    const settings = [
      `port ${port}`,
      ...['bind 127.0.0.1', `dir ${directory}`, `requirepass ${passwords.sentinel}`],
      `sentinel monitor ${groupName} 127.0.0.1 ${portOf(first.proxy)} ${quorum}`,
      `sentinel auth-pass ${groupName} ${passwords.redis}`,
      `sentinel down-after-milliseconds ${groupName} ${downAfterMs}`,
      `sentinel failover-timeout ${groupName} 5000`,
      `sentinel sentinel-pass ${passwords.sentinel}`,
    ]
    const file = join(directory, 'sentinel.conf')
    await writeFile(file, settings.join('\n'))
    const start = () => run.start({ name: `sentinel-${at}`, command, args: [file, '--sentinel'] })
    sentinels.push({ start, process: await start() })
    ports.push(port)
  }
  const sentinel = client({ port: ports[0] as number }, passwords.sentinel)
  whenDone(async () => sentinel.disconnect())
  const ask = async (...words: string[]) => (await sentinel.call('SENTINEL', ...words)) as string[]
  await until('the Sentinels know each other and the replica', async () => {
    const [others, replicas] = [await ask('SENTINELS', groupName), await ask('REPLICAS', groupName)]
    return others.length === sentinelCount - 1 && replicas.length === members.length - 1
  })

  async function primary(): Promise<Member> {
    const [, port] = await ask('GET-MASTER-ADDR-BY-NAME', groupName)
    return members.find(({ proxy }) => portOf(proxy) === Number(port)) as Member
  }
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join()
  return {
    url: `redis+sentinel://:${passwords.redis}@${hosts}/${groupName}/0?sentinelPassword=${passwords.sentinel}`,
    primary,
    async promoted(before) {
      await until('another member is the primary', async () => (await primary()) !== before, 60_000)
      const after = await primary()
      const redis = client(after)
      await until('the other member takes writes', async () => (await redis.role())[0] === 'master')
      redis.disconnect()
      return after
    },
    async failOver() {
      await ask('FAILOVER', groupName)
    },
    async restartSentinels() {
      for (const one of sentinels) {
        one.process.kill('SIGKILL')
        await one.process.exited
        one.process = await one.start()
        await until('the Sentinel answers', () =>
          ask('MASTERS').then(
            () => true,
            () => false,
          ),
        )
      }
      await until('the Sentinels know each other', async () => {
        const others = await ask('SENTINELS', groupName).catch(() => [])
        return others.length === sentinelCount - 1
      })
    },
    client,
    members,
  }
}
