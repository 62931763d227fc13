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

// A node of a cluster also listens at this distance from its port.
const clusterBus = 10_000

const runs = join(import.meta.dirname, '../../../.local/run')

/** A Redis for one test at a stable address, which may be frozen and killed. */
export interface OwnRedis {
  address: RedisAddress
  database: number
  /** Whether another test Redis can be its replica; one in a container cannot be reached. */
  canHaveReplicas: boolean
  freeze(): void
  wake(): void
  kill(): Promise<void>
  /** Makes it refuse commands that need memory, or accept them again. */
  full(isFull: boolean): Promise<void>
  evict(policy: string): Promise<void>
  /** Everything written to its append-only files that is still on disk; empty if the disk is inaccessible. */
  appendOnlyFiles(): string
  /** Saves the current data for a later start. */
  snapshot(): Promise<void>
  /** Restarts it after `kill`: with its data, empty, or with the data of the last snapshot. */
  start(how: 'as it was' | 'empty' | 'from the snapshot'): Promise<void>
}

/**
 * A process with an append-only file. Where Redis only runs in a container, a proxy imitates the effect of signals on
 * clients. Stopped when the calling test finishes, or by `whenDone`.
 */
export async function ownRedis(
  whenDone: (end: () => Promise<void>) => void = onTestFinished,
  settings: readonly string[] = [],
  program?: string,
): Promise<OwnRedis> {
  const run = openRun(runs, console.error)
  whenDone(() => run.stop())
  const command = program ?? (await redisServer(run).catch(() => null))
  if (command !== null) return redisProcess(run, command, settings)
  const container = await docker(run).redis()
  if (container) return proxiedRedis(container.url)
  throw new Error('neither a redis-server nor Docker: this test needs a Redis of its own')
}

async function redisProcess(run: Run, command: string, settings: readonly string[]): Promise<OwnRedis> {
  const directory = join(run.directory, 'redis')
  const snapshot = join(run.directory, 'snapshot.rdb')
  const port = await freePort(settings.includes('--cluster-enabled') ? clusterBus : 0)
  const url = `redis://127.0.0.1:${port}`
  let server: RunningProcess

  async function start() {
    await mkdir(directory, { recursive: true })
    server = await run.start({
      name: 'redis',
      command,
      args: [
        ...['--bind', '127.0.0.1', '--port', String(port), '--dir', directory],
        // With `everysec` a killed Redis may lose what it acknowledged while the disk was slow: a rollback, see `snapshot`.
        ...['--save', '', '--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'],
        ...settings,
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
    appendOnlyFiles: () => textsIn(directory),
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
        // Redis accepts an append-only file that starts with, or consists of, a snapshot.
        await copyFile(snapshot, join(directory, 'appendonly.aof'))
      }
      await start()
    },
  }
}

/** The text of all files of a folder. */
export const textsIn = (directory: string): string =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    .join('\n')
