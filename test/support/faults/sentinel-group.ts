import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { redisServer } from '../../../dev/stack/native/redis.ts'
import { freePort } from '../../../dev/stack/ports.ts'
import type { RunningProcess } from '../../../dev/stack/processes.ts'
import { openRun } from '../../../dev/stack/run.ts'
import { textsIn } from './own-redis.ts'
import { until } from './processes.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

const runs = join(import.meta.dirname, '../../../.local/run')
const groupName = 'packets'
const passwords = { redis: 'redis-canary', sentinel: 'sentinel-canary' }
const sentinelCount = 3
const quorum = 2
const downAfterMs = 1_500
const settlingMs = 1_500

export interface Member {
  freeze(): void
  wake(): void
  port: number
  /** Everybody reaches the member through it, itself excepted. */
  proxy: TcpProxy
  kill(): Promise<void>
  /** Starts a killed member again, with its data. */
  restart(): Promise<void>
  /** See `OwnRedis`. */
  appendOnlyFiles(): string
}

type IsCutHere = (chunk: Buffer, port: number) => boolean

/** A primary with two replicas, and Sentinels that promote one of these when the primary does not answer. */
export interface SentinelGroup {
  /** As `REDIS_URL`, with the passwords of both roles. */
  url: string
  /** Of the members. */
  password: string
  /** The member that the Sentinels consider the primary. */
  primary(): Promise<Member>
  /** Waits until the Sentinels have promoted another member. */
  promoted(before: Member): Promise<Member>
  /** Waits until all members run and follow the primary, and no failover is in progress. */
  settled(): Promise<void>
  /** Called for each chunk to or from the member of a port, to decide whether to cut its connection; null: never. */
  cutWhere(isCutHere: IsCutHere | null): void
  /** Starts a failover although the primary answers. */
  failOver(): Promise<void>
  /** Restarts all Sentinels, one after the other. */
  restartSentinels(): Promise<void>
  client(member: Member): Redis
  members: readonly Member[]
}

const fixture = (name: string) => join(import.meta.dirname, '../../fixtures', name)
/** A certificate for localhost and 127.0.0.1 that signs itself. */
export const authorityFile = fixture('self-signed.cert.pem')

/** Settings of a server's port. With TLS it also talks to other servers over TLS. */
const listening = (port: number, hasTls: boolean): string[] =>
  hasTls
    ? [
        ...['port 0', `tls-port ${port}`, 'tls-replication yes', 'tls-auth-clients no'],
        ...[`tls-cert-file ${authorityFile}`, `tls-key-file ${fixture('self-signed.key.pem')}`],
        `tls-ca-cert-file ${authorityFile}`,
      ]
    : [`port ${port}`]

/** Real servers, each behind a proxy that can cut it off. Stopped by `whenDone`. */
export async function sentinelGroup(
  whenDone: (end: () => Promise<void>) => void,
  hasTls = false,
): Promise<SentinelGroup> {
  const run = openRun(runs, console.error)
  whenDone(() => run.stop())
  const command = await redisServer(run)
  let isCutHere: IsCutHere | null = null
  const portOf = (proxy: TcpProxy) => Number(proxy.address.split(':')[1])

  async function startMember(name: string, primary: TcpProxy | null): Promise<Member> {
    const directory = join(run.directory, name)
    await mkdir(directory, { recursive: true })
    const port = await freePort()
    const verdict = (chunk: Buffer) => (isCutHere?.(chunk, port) ? 'cut' : 'pass')
    const proxy = await startTcpProxy(`127.0.0.1:${port}`, { fromClient: verdict, fromServer: verdict })
    whenDone(async () => proxy.close())
    const settings = [
      ...['bind 127.0.0.1', ...listening(port, hasTls), `dir ${directory}`],
      // With `everysec` a primary that restarts before it is replaced may lose what its replicas have.
      ...['appendonly yes', 'appendfsync always', 'maxmemory-policy noeviction'],
      ...[`requirepass ${passwords.redis}`, `masterauth ${passwords.redis}`],
      ...['replica-announce-ip 127.0.0.1', `replica-announce-port ${portOf(proxy)}`],
      // A primary that is cut off takes no more writes.
      ...['min-replicas-to-write 1', 'min-replicas-max-lag 2'],
      ...(primary === null ? [] : [`replicaof 127.0.0.1 ${portOf(primary)}`]),
    ]
    // A file, in which the Sentinels keep the member's role: it restarts with its latest one.
    const file = join(directory, 'redis.conf')
    await writeFile(file, settings.join('\n'))
    const start = () => run.start({ name, command, args: [file] })
    let server = await start()
    return {
      port,
      proxy,
      freeze: () => server.kill('SIGSTOP'),
      wake: () => server.kill('SIGCONT'),
      async kill() {
        server.kill('SIGKILL')
        await server.exited
      },
      async restart() {
        server = await start()
      },
      appendOnlyFiles: () => textsIn(directory),
    }
  }

  const first = await startMember('redis-1', null)
  const members = [first, await startMember('redis-2', first.proxy), await startMember('redis-3', first.proxy)]
  const client = ({ port }: Pick<Member, 'port'>, password = passwords.redis) => {
    const redis = new Redis(port, '127.0.0.1', {
      password,
      retryStrategy: () => 100,
      maxRetriesPerRequest: null,
      ...(hasTls ? { tls: { ca: readFileSync(authorityFile) } } : {}),
    })
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
      ...listening(port, hasTls),
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
  /** Whether all members run and follow one primary, as the Sentinels see it. */
  async function isSettled(): Promise<boolean> {
    const master = await ask('MASTER', groupName)
    if (master[master.indexOf('flags') + 1] !== 'master') return false
    const first = await primary()
    for (const member of members) {
      const redis = client(member)
      const [role, ...state] = (await redis.role().finally(() => redis.disconnect())) as unknown[]
      const isFit = role === 'master' ? member === first : state.includes('connected')
      if (!isFit) return false
    }
    return true
  }
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join()
  return {
    url: `${hasTls ? 'rediss' : 'redis'}+sentinel://:${passwords.redis}@${hosts}/${groupName}/0?sentinelPassword=${passwords.sentinel}`,
    password: passwords.redis,
    primary,
    cutWhere(next) {
      isCutHere = next
    },
    async settled() {
      // A failover may begin a moment after the member answers that caused it.
      for (let times = 1; times <= 2; times++) {
        await until('all members follow the primary', () => isSettled().catch(() => false), 120_000)
        await delay(settlingMs)
      }
      await until('all members follow the primary', () => isSettled().catch(() => false), 120_000)
    },
    async promoted(before) {
      await until('another member is the primary', async () => (await primary()) !== before, 60_000)
      const after = await primary()
      const redis = client(after)
      await until('the other member takes writes', async () => (await redis.role())[0] === 'master')
      redis.disconnect()
      return after
    },
    async failOver() {
      const before = await primary()
      // Sentinels may abort a failover that was asked for, and do not begin it again by themselves.
      await until('the primary is replaced', async () => {
        if ((await primary()) !== before) return true
        await ask('FAILOVER', groupName).catch(() => {})
        return false
      })
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
