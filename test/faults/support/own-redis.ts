import { readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import type { RedisAddress } from '../../../dev/stack/addresses.ts'
import { docker } from '../../../dev/stack/docker.ts'
import { redisServer } from '../../../dev/stack/native/redis.ts'
import { freePort } from '../../../dev/stack/ports.ts'
import type { RunningProcess } from '../../../dev/stack/processes.ts'
import { askRedis, untilReady } from '../../../dev/stack/ready.ts'
import { openRun, type Run } from '../../../dev/stack/run.ts'
import { configureRedis } from './configure-redis.ts'
import { proxiedRedis } from './proxied-redis.ts'

const runs = join(import.meta.dirname, '../../../.local/run')

/** A Redis of the test's own, at an address that stays: it may be frozen and killed. */
export interface OwnRedis {
  address: RedisAddress
  database: number
  /** Another Redis of the test's can be its replica: none that is in a container reaches it. */
  canHaveReplicas: boolean
  freeze(): void
  wake(): void
  kill(): Promise<void>
  /** It refuses whatever takes memory, or no longer. */
  full(isFull: boolean): Promise<void>
  evict(policy: string): Promise<void>
  /** All that was ever written to it and is still on its disk; nothing where its disk is out of reach. */
  appendOnlyFiles(): string
  /** Keeps what it knows now, to start from later. */
  snapshot(): Promise<void>
  /** After `kill`: it is back, with what it knew, empty, or with what it knew at the last snapshot. */
  start(how: 'as it was' | 'empty' | 'from the snapshot'): Promise<void>
}

/**
 * A process with an append-only file. Where Redis runs in a container only, one of those behind a proxy that does to its
 * clients what the signals do to them. It ends with the test that calls it, or when `whenDone` says.
 */
export async function ownRedis(whenDone: (end: () => Promise<void>) => void = onTestFinished): Promise<OwnRedis> {
  const run = openRun(runs, console.error)
  whenDone(() => run.stop())
  const command = await redisServer(run).catch(() => null)
  if (command !== null) return redisProcess(run, command)
  const container = await docker(run).redis()
  if (container) return proxiedRedis(container.url)
  throw new Error('neither a redis-server nor Docker: this test needs a Redis of its own')
}

async function redisProcess(run: Run, command: string): Promise<OwnRedis> {
  const directory = join(run.directory, 'redis')
  const snapshot = join(run.directory, 'snapshot.rdb')
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let server: RunningProcess

  async function start() {
    await mkdir(directory, { recursive: true })
    server = await run.start({
      name: 'redis',
      command,
      args: [
        ...['--bind', '127.0.0.1', '--port', String(port), '--dir', directory],
        ...['--save', '', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'],
      ],
    })
    await untilReady(server, () => askRedis(url))
  }

  await start()
  return {
    address: { url, pid: null },
    database: 0,
    canHaveReplicas: true,
    full: (isFull) => configureRedis(url, 'maxmemory', isFull ? '1' : '0'),
    evict: (policy) => configureRedis(url, 'maxmemory-policy', policy),
    freeze: () => server.kill('SIGSTOP'),
    wake: () => server.kill('SIGCONT'),
    appendOnlyFiles: () =>
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
        .join('\n'),
    async kill() {
      server.kill('SIGKILL')
      await server.exited
    },
    async snapshot() {
      const redis = new Redis(url)
      await redis.save()
      redis.disconnect()
      await copyFile(join(directory, 'dump.rdb'), snapshot)
    },
    async start(how) {
      if (how !== 'as it was') await rm(directory, { recursive: true })
      if (how === 'from the snapshot') {
        await mkdir(directory)
        // An append-only file may begin with a snapshot, or be one.
        await copyFile(snapshot, join(directory, 'appendonly.aof'))
      }
      await start()
    },
  }
}
