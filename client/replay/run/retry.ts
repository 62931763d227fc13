import { setTimeout as delay } from 'node:timers/promises'
import { remedyFor } from './failures.ts'
import { createGate, type Gate } from './gate.ts'

export interface RetrySettings {
  gate: Gate
  signal: AbortSignal
  onRetry: () => void
  reconnectMs?: number
}

/**
 * Runs a query that is no part of the replay itself: again after a deadlock, and the like, even where a constraint could
 * not be created because another one was, on Neo4j 3.5. A target that cannot be reached is not waited for.
 */
export const uninterfered = <T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> =>
  withRetries(attempt, { gate: createGate(), signal, onRetry() {}, reconnectMs: 0 })

const mostRepeats = 8
const [firstPauseMs, longestPauseMs] = [20, 2_000]
const togetherTwice = 2

/**
 * Runs a transaction until it ends well or is no use: after a deadlock, and the like, up to eight more times, the later
 * ones while no other transaction runs; after a lost connection for a minute. Every transaction of a replay may be
 * repeated, even one that committed unseen. The pauses of the driver's own retry begin at a second.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { gate, signal, onRetry, reconnectMs = 60_000 }: RetrySettings,
): Promise<T> {
  const begin = () => {
    // It may have been aborted while this waited at the gate.
    signal.throwIfAborted()
    return attempt()
  }
  let lostAt: number | null = null
  for (let failures = 0; ; ) {
    try {
      return await (failures > togetherTwice ? gate.alone(begin) : gate.together(begin))
    } catch (error) {
      const remedy = remedyFor(error)
      if (remedy !== 'reconnect' && remedy !== 'repeat') throw error
      lostAt = remedy === 'repeat' ? null : (lostAt ?? performance.now())
      if (lostAt === null) failures++
      const isSpent = lostAt === null ? failures > mostRepeats : performance.now() - lostAt >= reconnectMs
      if (isSpent || signal.aborted) throw error
      onRetry()
      const pauseMs = lostAt === null ? Math.min(longestPauseMs, firstPauseMs * 2 ** failures) : longestPauseMs
      await delay(Math.random() * pauseMs, undefined, { signal })
    }
  }
}
