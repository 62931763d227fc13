import { checked } from '../shared/observability/health.ts'
import { availableJobs } from '../shared/queue/depth.ts'
import type { WorkerContext } from './context.ts'
import type { RunsInProgress } from './runs-in-progress.ts'

interface LivenessOptions {
  runs: Pick<RunsInProgress, 'slots' | 'count' | 'lastStartedAt' | 'oldestStartedAt'>
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
export function createLiveness(options: LivenessOptions) {
  const { runs, availableJobs, limitSeconds, longestRunSeconds, now: time = () => performance.now() } = options
  let isStopping = false
  /** Start of the period in which each check found waiting jobs and a free slot; null if the last check did not. */
  let neglectingSince: number | null = null

  async function isNeglectingJobs(): Promise<boolean> {
    if (isStopping || runs.count >= runs.slots) return false
    return (await availableJobs().catch(() => 0)) > 0
  }

  return {
    /** Why this worker should be restarted; null if it should not. */
    async isStuck(): Promise<string | null> {
      const overdue = time() - (runs.oldestStartedAt ?? time())
      if (overdue > longestRunSeconds * 1_000) return `a run has not ended within ${longestRunSeconds} s`
      neglectingSince = (await isNeglectingJobs()) ? Math.max(neglectingSince ?? time(), runs.lastStartedAt) : null
      if (neglectingSince === null || time() - neglectingSince <= limitSeconds * 1_000) return null
      return `jobs wait, and this worker has taken none for ${limitSeconds} s`
    },
    /** Marks the worker as stopping: from now on it takes no jobs, and is not stuck because of that. */
    stop() {
      isStopping = true
    },
  }
}

/** Time allowed for the commit, in addition to the job's time limit. */
const commitSeconds = 900

export const watchLiveness = ({ config, redis, runs }: WorkerContext) =>
  createLiveness({
    runs,
    availableJobs: () => checked(availableJobs(redis)),
    limitSeconds: config.worker.livenessSeconds,
    longestRunSeconds: config.limits.jobSeconds + commitSeconds,
  })
