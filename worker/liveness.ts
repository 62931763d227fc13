import { takeableJobs } from '../shared/jobs/queue-depth.ts'
import { soon } from '../shared/observability/health.ts'
import type { WorkerContext } from './context.ts'
import type { Slots } from './slots.ts'

export interface Liveness {
  /** Why this worker should be started anew; null when it should not. */
  isStuck(): Promise<string | null>
  /** It takes no more jobs, and is right not to. */
  stop(): void
}

interface Watched {
  slots: Slots
  /** Jobs that a worker with room could have begun. */
  takeable(): Promise<number>
  /** How long jobs may wait beside a worker that has room, seconds. */
  limitSeconds: number
  /** What no run takes: each ends itself by the time limit of its job. Seconds. */
  longestRunSeconds: number
  now?: () => number
}

/**
 * A worker that has room takes a waiting job within milliseconds, so one that does not for `limitSeconds` has lost its
 * way to the queue and will not find it again. One whose slots are all taken is alive as long as it answers, for that
 * takes a turn of its event loop, and as no run outlives its own time limit. A Redis that is away is no reason: another
 * process would not reach it either, and `/readyz` says so.
 */
export function createLiveness({ slots, takeable, limitSeconds, longestRunSeconds, now }: Watched): Liveness {
  const time = now ?? (() => performance.now())
  let isStopping = false
  /** Since when every look has found jobs waiting and room for them; null when the last one has not. */
  let leftSince: number | null = null

  async function isLeft(): Promise<boolean> {
    if (isStopping || slots.busy >= slots.size) return false
    return (await takeable().catch(() => 0)) > 0
  }

  return {
    async isStuck() {
      const overdue = time() - (slots.oldestBegunAt ?? time())
      if (overdue > longestRunSeconds * 1_000) return `a run has not ended within ${longestRunSeconds} s`
      leftSince = (await isLeft()) ? Math.max(leftSince ?? time(), slots.lastBegunAt) : null
      if (leftSince === null || time() - leftSince <= limitSeconds * 1_000) return null
      return `jobs wait, and this worker has taken none for ${limitSeconds} s`
    },
    stop() {
      isStopping = true
    },
  }
}

/** Longer than a run may take from its beginning to its commit, by the time limit of its job. */
const commitSeconds = 900

export function watchLiveness({ config, redis, slots }: WorkerContext): Liveness {
  return createLiveness({
    slots,
    takeable: () => soon(takeableJobs(redis)),
    limitSeconds: config.worker.livenessSeconds,
    longestRunSeconds: config.limits.jobSeconds + commitSeconds,
  })
}
