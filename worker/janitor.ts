import { randomUUID } from 'node:crypto'
import type { Result } from 'ioredis'
import { redisNow } from '../shared/jobs/redis.ts'
import { janitorKey, sweptKey } from '../shared/jobs/redis-keys.ts'
import { isFinished } from '../shared/jobs/states.ts'
import type { Releases } from '../shared/lifecycle/releases.ts'
import { janitorFailed, jobRestored, swept } from '../shared/observability/events.ts'
import { type Swept, sweepStorage } from '../shared/storage/sweep.ts'
import type { WorkerContext } from './context.ts'

const dayMs = 24 * 3_600_000

/** What was left alone for so long is nobody's any more. */
const leftAloneMs = 60_000

declare module 'ioredis' {
  interface RedisCommander<Context> {
    janitorKeep(key: string, owner: string, milliseconds: string): Result<number, Context>
  }
}

const keepScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then return redis.call('DEL', KEYS[1]) end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`

/** Looks after what crashes leave behind, in one worker at a time, until released. Contract 6. */
export function startJanitor(context: WorkerContext, releases: Releases): void {
  const { config, redis } = context
  const stopping = new AbortController()
  const everyMs = config.worker.janitorSeconds * 1_000
  redis.defineCommand('janitorKeep', { numberOfKeys: 1, lua: keepScript })
  let round: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    round = round
      .then(() => alone(context, everyMs, () => tidy(context, stopping.signal)))
      .catch((error) => {
        if (!stopping.signal.aborted) janitorFailed(context, error)
      })
  }, everyMs)
  releases.add('janitor', timer, async (it) => {
    clearInterval(it)
    stopping.abort()
    await round
  })
}

/** Runs `work` unless another worker's janitor is at it. */
async function alone({ redis }: WorkerContext, everyMs: number, work: () => Promise<void>): Promise<void> {
  const owner = randomUUID()
  const heldMs = 2 * everyMs
  if ((await redis.set(janitorKey, owner, 'PX', heldMs, 'NX')) === null) return
  const keeping = setInterval(() => {
    redis.janitorKeep(janitorKey, owner, String(heldMs)).catch(() => {})
  }, everyMs / 2)
  try {
    await work()
  } finally {
    clearInterval(keeping)
    await redis.janitorKeep(janitorKey, owner, '0')
  }
}

async function tidy(context: WorkerContext, signal: AbortSignal): Promise<void> {
  const { redis, views } = context
  const before = (await redisNow(redis)) - leftAloneMs
  await restoreJobs(context, before)
  for (const name of await views.staleBefore(before)) await views.refresh(name)
  if ((await redis.exists(sweptKey)) === 1) return
  await sweep(context, Date.now(), signal)
  await redis.set(sweptKey, new Date().toISOString(), 'PX', dayMs)
}

/** Puts unfinished jobs back that the queue does not have: an API died before it could add one, or Redis lost some. */
export async function restoreJobs(
  context: Pick<WorkerContext, 'records' | 'queue' | 'log' | 'metrics'>,
  createdBefore: number,
): Promise<void> {
  const { records, queue } = context
  for (const id of await queue.missing(await records.openBefore(createdBefore))) {
    const job = await records.read(id)
    if (job === null || isFinished(job)) await records.close(id)
    else if (await queue.restore(id)) jobRestored(context, id)
  }
}

/** The longest lifetime of a download URL. */
const supersededMs = 7 * dayMs

export async function sweep(context: WorkerContext, now: number, signal: AbortSignal): Promise<Swept> {
  const { config, records, views } = context
  const isAlive = async (jobId: string) => {
    const job = await records.read(jobId)
    return job !== null && !isFinished(job)
  }
  const orphanedMs = config.limits.jobSeconds * 1_000 + dayMs
  const rules = { now, supersededMs, orphanedMs, isAlive, repairView: views.refresh, signal }
  const removed = await sweepStorage(context, rules)
  swept(context, { ...removed })
  return removed
}
