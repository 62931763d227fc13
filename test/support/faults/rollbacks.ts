import type { Published } from '../worlds/world.ts'

/**
 * Redis returned to an earlier state: a backup was restored, or a lagging replica took over. Times are
 * `performance.now()`.
 */
interface Rollback {
  /** Data known at this time survived. */
  knownAt: number
  /** Updates between `knownAt` and this time are lost. */
  lostAt: number
  /** Whether accepted jobs may be among them. */
  forgetsJobs: boolean
}

/** The rollbacks of a test's Redis. */
export interface Rollbacks {
  /** Must be called before the data is removed. */
  add(knownAt: number): void
  /**
   * A failover, which loses no accepted job, may happen from now on.
   * @returns must be called when none can happen any more
   */
  beginFailover(knownAt: number): () => void
  /** Whether a rollback happened since; if so, answers from before and after it must not be compared. */
  hasHappenedSince(time: number): boolean
  /**
   * Whether Redis may have forgotten anything about a job: its acceptance, progress or end. Not if it was seen finished
   * before the restored state, nor if it was submitted after the rollback.
   */
  touched(job: Pick<Published, 'submittedAt' | 'endedAt'>): boolean
  /** Like `touched`, for the acceptance. */
  mayHaveForgotten(job: Pick<Published, 'submittedAt' | 'endedAt'>): boolean
  /** Like `hasHappenedSince`, of rollbacks that may lose an accepted job. */
  mayHaveForgottenSince(time: number): boolean
}

export function createRollbacks(): Rollbacks {
  const all: Rollback[] = []
  const isSince =
    (time: number) =>
    ({ lostAt }: Rollback) =>
      lostAt >= time
  const touches =
    ({ submittedAt, endedAt }: Pick<Published, 'submittedAt' | 'endedAt'>) =>
    ({ knownAt, lostAt }: Rollback) =>
      submittedAt <= lostAt && !(endedAt() < knownAt)
  return {
    add: (knownAt) => void all.push({ knownAt, lostAt: performance.now(), forgetsJobs: true }),
    beginFailover(knownAt) {
      const failover = { knownAt, lostAt: Number.POSITIVE_INFINITY, forgetsJobs: false }
      all.push(failover)
      return () => {
        failover.lostAt = performance.now()
      }
    },
    hasHappenedSince: (time) => all.some(isSince(time)),
    touched: (job) => all.some(touches(job)),
    mayHaveForgotten: (job) => all.some((one) => one.forgetsJobs && touches(job)(one)),
    mayHaveForgottenSince: (time) => all.some((one) => one.forgetsJobs && isSince(time)(one)),
  }
}
