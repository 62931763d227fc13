import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { RedisAddress } from '../../stack/addresses.ts'
import { redisServer } from '../../stack/native/redis.ts'
import { freePort } from '../../stack/ports.ts'
import type { RunningProcess } from '../../stack/processes.ts'
import { askRedis, untilReady } from '../../stack/ready.ts'
import { openRun } from '../../stack/run.ts'

const runs = join(import.meta.dirname, '../../../.local/run')

/** A Redis of the test's own, at a port that stays, with an append-only file: it may be frozen and killed. */
export interface OwnRedis {
  address: RedisAddress
  freeze(): void
  wake(): void
  kill(): Promise<void>
  /** Starts it again, with what it knew or empty. */
  start(how?: 'as it was' | 'empty'): Promise<void>
}

/** Called in a test, which ends it. */
export async function ownRedis(): Promise<OwnRedis> {
  const run = openRun(runs, console.error)
  onTestFinished(() => run.stop())
  const command = await redisServer(run)
  const directory = join(run.directory, 'redis')
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let server: RunningProcess | undefined
  const own: OwnRedis = {
    address: { url, pid: null },
    freeze: () => server?.kill('SIGSTOP'),
    wake: () => server?.kill('SIGCONT'),
    async kill() {
      server?.kill('SIGKILL')
      await server?.exited
    },
    async start(how = 'as it was') {
      if (how === 'empty') await rm(directory, { recursive: true, force: true })
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
    },
  }
  await own.start()
  return own
}
