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
}

/** The rollbacks of a test's Redis. */
export interface Rollbacks {
  /** Must be called before the data is removed. */
  add(knownAt: number): void
  /** Whether a rollback happened since; if so, answers from before and after it must not be compared. */
  hasHappenedSince(time: number): boolean
  /**
   * Whether Redis may have forgotten anything about a job: its acceptance, progress or end. Not if it was seen finished
   * before the restored state, nor if it was submitted after the rollback.
   */
  touched(job: Pick<Published, 'submittedAt' | 'endedAt'>): boolean
}

export function createRollbacks(): Rollbacks {
  const all: Rollback[] = []
  return {
    add: (knownAt) => void all.push({ knownAt, lostAt: performance.now() }),
    hasHappenedSince: (time) => all.some(({ lostAt }) => lostAt >= time),
    touched: ({ submittedAt, endedAt }) =>
      all.some(({ knownAt, lostAt }) => submittedAt <= lostAt && !(endedAt() < knownAt)),
  }
}
