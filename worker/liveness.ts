import { availableJobs } from '../shared/jobs/queue-depth.ts'
import { checked } from '../shared/observability/health.ts'
import type { WorkerContext } from './context.ts'
import type { Slots } from './slots.ts'

export interface Liveness {
  /** Why this worker should be restarted; null if it should not. */
  isStuck(): Promise<string | null>
  /** Marks the worker as stopping: from now on it takes no jobs, and is not stuck because of that. */
  stop(): void
}

interface LivenessOptions {
  slots: Slots
  /** Number of jobs that a worker with a free slot could take. */
  availableJobs(): Promise<number>
  /** How long, in seconds, jobs may wait while this worker has a free slot. */
  limitSeconds: number
  /** Upper bound of a run's duration, in seconds: each run ends by its job's time limit. */
  longestRunSeconds: number
  now?: () => number
}

/**
 * A worker with a free slot takes a waiting job within milliseconds. If it takes none for `limitSeconds`, it has lost
 * its connection to the queue and will not recover. A worker without a free slot is alive if it answers, which proves
 * that its event loop runs, and if no run exceeds its time limit. An unavailable Redis is no reason to restart: a new
 * process could not reach it either, and `/readyz` reports it.
 */
export function createLiveness({
  slots,
  availableJobs,
  limitSeconds,
  longestRunSeconds,
  now,
}: LivenessOptions): Liveness {
  const time = now ?? (() => performance.now())
  let isStopping = false
  /** Start of the period in which each check found waiting jobs and a free slot; null if the last check did not. */
  let neglectingSince: number | null = null

  async function isNeglectingJobs(): Promise<boolean> {
    if (isStopping || slots.busy >= slots.size) return false
    return (await availableJobs().catch(() => 0)) > 0
  }

  return {
    async isStuck() {
      const overdue = time() - (slots.oldestStartedAt ?? time())
      if (overdue > longestRunSeconds * 1_000) return `a run has not ended within ${longestRunSeconds} s`
      neglectingSince = (await isNeglectingJobs()) ? Math.max(neglectingSince ?? time(), slots.lastStartedAt) : null
      if (neglectingSince === null || time() - neglectingSince <= limitSeconds * 1_000) return null
      return `jobs wait, and this worker has taken none for ${limitSeconds} s`
    },
    stop() {
      isStopping = true
    },
  }
}

/** Time allowed for the commit, in addition to the job's time limit. */
const commitSeconds = 900

export function watchLiveness({ config, redis, slots }: WorkerContext): Liveness {
  return createLiveness({
    slots,
    availableJobs: () => checked(availableJobs(redis)),
    limitSeconds: config.worker.livenessSeconds,
    longestRunSeconds: config.limits.jobSeconds + commitSeconds,
  })
}
