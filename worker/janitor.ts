import { randomUUID } from 'node:crypto'
import type { Releases } from '../shared/lifecycle/releases.ts'
import { janitorFailed, jobRestored, packetSkipped, swept } from '../shared/observability/events.ts'
import { withTrace } from '../shared/observability/trace.ts'
import { capExpiry, promoteMistimed, repairAfterClockSetBack } from '../shared/queue/clock-repair.ts'
import { longestBackoffMs } from '../shared/queue/queue.ts'
import { isRedisAway, redisNow } from '../shared/redis/connect.ts'
import { dutyKey, sweptKey } from '../shared/redis/keys.ts'
import { script } from '../shared/redis/script.ts'
import { longestLinkSeconds } from '../shared/storage/links.ts'
import { type SweepRules, type Swept, sweepStorage } from '../shared/storage/sweep.ts'
import { isFinished } from '../wire/job-states.ts'
import { longestRetryAfterMs } from './callbacks/consume-callbacks.ts'
import type { WorkerContext } from './context.ts'

const dayMs = 24 * 3_600_000

/** Grace period: anything younger may still be in progress. */
const gracePeriodMs = 60_000

const renew = script(
  ['key', 'owner', 'milliseconds'],
  `if redis.call('GET', key) ~= owner then return 0 end
if milliseconds == '0' then return redis.call('DEL', key) end
return redis.call('PEXPIRE', key, milliseconds)`,
)

/**
 * Clean-up after crashes. Each duty has its own timer and lock: a sweep takes time proportional to the number of
 * objects, and plain files may hang on the store; neither may delay the rescue of lost jobs.
 */
const duties: Record<string, (context: WorkerContext, signal: AbortSignal) => Promise<void>> = {
  async rescue(context) {
    await repairClocks(context)
    await restoreJobs(context, await gracePeriodStart(context))
  },
  async plainFiles(context, signal) {
    const { views } = context
    for (const name of await views.staleBefore(await gracePeriodStart(context))) {
      if (signal.aborted) return
      await views.refresh(name)
    }
  },
  async callbacks(context) {
    await restoreCallbacks(context, await gracePeriodStart(context))
  },
  async sweep(context, signal) {
    const { redis } = context
    if ((await redis.exists(sweptKey)) === 1) return
    await context.records.openRuns.recount()
    const now = await sweepTime(context)
    await sweep(context, now, signal)
    await redis.set(sweptKey, new Date(now).toISOString(), 'PX', dayMs)
  },
}

/** By two clocks, neither of them this worker's: one that is ahead would make a sweep remove what is still young. */
export async function sweepTime({ redis, store }: Pick<WorkerContext, 'redis' | 'store'>): Promise<number> {
  await store.ping()
  return Math.min(store.now(), await redisNow(redis))
}

const gracePeriodStart = async ({ redis }: WorkerContext) => (await redisNow(redis)) - gracePeriodMs

/** Runs each duty periodically, in one worker at a time, until released. Contract 6. */
export function startJanitor(context: WorkerContext, releases: Releases): void {
  const stopping = new AbortController()
  const started = Object.entries(duties).map(([name, work]) => {
    return startDuty(context, name, () => work(context, stopping.signal), stopping.signal)
  })
  releases.add('janitor', started, async (each) => {
    stopping.abort()
    await Promise.all(each.map((ended) => ended()))
  })
}

/** @returns a function that stops the duty and waits for a running round. */
function startDuty(context: WorkerContext, name: string, work: () => Promise<void>, stopping: AbortSignal) {
  const everyMs = context.config.worker.janitorSeconds * 1_000
  let round: Promise<void> | null = null
  const timer = setInterval(() => {
    round ??= withDutyLock(context, name, everyMs, work)
      .catch((error) => {
        if (!stopping.aborted) janitorFailed(context, error)
      })
      .finally(() => {
        round = null
      })
  }, everyMs)
  return async () => {
    clearInterval(timer)
    await round
  }
}

/** Runs `work` unless another worker is performing this duty. */
async function withDutyLock(
  { redis }: WorkerContext,
  duty: string,
  everyMs: number,
  work: () => Promise<void>,
): Promise<void> {
  const owner = randomUUID()
  const key = dutyKey(duty)
  const lockMs = 2 * everyMs
  await capExpiry(redis, { key, milliseconds: lockMs })
  if ((await redis.set(key, owner, 'PX', lockMs, 'NX')) === null) return
  const renewal = setInterval(() => {
    renew(redis, { key, owner, milliseconds: lockMs }).catch(() => {})
  }, everyMs / 2)
  try {
    await work()
  } finally {
    clearInterval(renewal)
    await renew(redis, { key, owner, milliseconds: 0 })
  }
}

/** Repairs the queues after a clock was wrong: that of Redis, or that of a worker. */
export async function repairClocks(
  context: Pick<WorkerContext, 'redis' | 'queue' | 'callbacks' | 'config' | 'log'>,
): Promise<void> {
  const { redis, log } = context
  const { lockSeconds, stalledSeconds, retrySeconds } = context.config.worker
  const times = { lockMs: lockSeconds * 1_000, stalledMs: stalledSeconds * 1_000, sweptMs: dayMs }
  const [jobs, callbacks] = [context.queue.queue, context.callbacks.queue]
  await repairAfterClockSetBack(redis, [jobs, callbacks], times)
  const promoted = [
    ...(await promoteMistimed(redis, jobs, Math.max(longestBackoffMs, retrySeconds * 1_000))),
    ...(await promoteMistimed(redis, callbacks, longestRetryAfterMs)),
  ]
  if (promoted.length > 0) log.warn({ jobIds: promoted }, 'deliveries waited by a wrong clock and run now')
}

/** Requeues unfinished jobs that the queue lacks: an API crashed before queueing one, or Redis lost some. */
export async function restoreJobs(
  context: Pick<WorkerContext, 'records' | 'queue' | 'log' | 'metrics'>,
  createdBefore: number,
): Promise<void> {
  const { records, queue } = context
  for (const id of await queue.missing(await records.openBefore(createdBefore))) {
    await unlessUnreadable(context, id, 'a lost job cannot be restored', async () => {
      const job = await records.read(id)
      if (job === null || isFinished(job)) await records.close(id)
      else if (await queue.restore(job)) jobRestored(withTrace(context, job.traceparent), id)
    })
  }
}

/** Requeues callbacks that became due before a time (epoch milliseconds, by Redis's clock) and that the queue lacks. */
export async function restoreCallbacks(
  context: Pick<WorkerContext, 'records' | 'callbacks' | 'log'>,
  dueBefore: number,
): Promise<void> {
  const { records, callbacks } = context
  for (const id of await callbacks.lostBefore(dueBefore)) {
    await unlessUnreadable(context, id, 'a lost callback cannot be restored', async () => {
      const job = await records.read(id)
      if (job === null) await callbacks.forget(id)
      else await callbacks.add(job)
    })
  }
}

/** Does `work`. If a record is unreadable, logs that and returns null, so that other jobs are not affected. */
async function unlessUnreadable<T>(
  { log }: Pick<WorkerContext, 'log'>,
  jobId: string,
  message: string,
  work: () => Promise<T>,
): Promise<T | null> {
  return work().catch((error) => {
    if (isRedisAway(error)) throw error
    log.error({ err: error, jobId }, message)
    return null
  })
}

/** The longest life of a download link, plus an hour for downloads in progress and for clock skew. */
const supersededMs = longestLinkSeconds * 1_000 + 3_600_000

export async function sweep(context: WorkerContext, now: number, signal: AbortSignal): Promise<Swept> {
  const { config, records, views } = context
  const isAlive = async (jobId: string) => {
    const isUnfinished = await unlessUnreadable(context, jobId, 'the objects of a job are not swept', async () => {
      const job = await records.read(jobId)
      return job !== null && !isFinished(job)
    })
    return isUnfinished ?? true
  }
  const orphanedMs = config.limits.jobSeconds * 1_000 + dayMs
  const rules: SweepRules = {
    now,
    supersededMs,
    orphanedMs,
    isAlive,
    refresh: views.refresh,
    unreadable: (name, error) => packetSkipped(context, name, error),
    signal,
  }
  const removed = await sweepStorage(context, rules)
  swept(context, { ...removed })
  return removed
}
