import { join } from 'node:path'
import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import { docker } from '../../../dev/stack/docker.ts'
import { startRedis } from '../../../dev/stack/native/redis.ts'
import { openRun } from '../../../dev/stack/run.ts'

const runs = join(import.meta.dirname, '../../../.local/run')

/** A Redis instance with these settings for one test. @returns its URL. */
export async function redisWith(settings: Record<string, string>): Promise<string> {
  const run = openRun(runs, console.error)
  onTestFinished(() => run.stop())
  const started = await startRedis(run).catch(() => docker(run).redis())
  if (!started) throw new Error('no Redis can be had')
  const redis = new Redis(started.url)
  for (const [name, value] of Object.entries(settings)) await redis.config('SET', name, value)
  redis.disconnect()
  return started.url
}
