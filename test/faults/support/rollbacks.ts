import type { Published } from './world.ts'

/**
 * Redis went back to what it knew at some moment: a backup was restored, or a replica took over that was behind. Times are
 * `performance.now()`.
 */
interface Rollback {
  /** What was known then is known still. */
  knownAt: number
  /** Nothing that Redis learned in between and until now is. */
  lostAt: number
}

/** What a test's Redis has forgotten. */
export interface Rollbacks {
  /** Called before what Redis knows is taken away. */
  add(knownAt: number): void
  /** Did one happen since? Then an answer from before it says nothing about one from after it. */
  hasHappenedSince(time: number): boolean
  /**
   * May Redis have forgotten something of a job: that it was accepted, how it went on or how it ended? Not of one that was seen
   * to have ended before, nor of one that was submitted after.
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
