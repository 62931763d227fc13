import { setTimeout as delay } from 'node:timers/promises'
import { remedyFor } from './failures.ts'

/** Lets transactions run together, or one alone while no other does. */
export function createGate() {
  let inside = 0
  let waitingAlone = 0
  const wake: (() => void)[] = []

  return async <T>(work: () => Promise<T>, isAlone: boolean): Promise<T> => {
    if (isAlone) waitingAlone++
    while ((isAlone ? inside : waitingAlone) > 0) await new Promise<void>((resolve) => wake.push(resolve))
    inside++
    try {
      return await work()
    } finally {
      inside--
      if (isAlone) waitingAlone--
      for (const resolve of wake.splice(0)) resolve()
    }
  }
}

interface RetrySettings {
  gate: ReturnType<typeof createGate>
  signal: AbortSignal
  onRetry?: () => void
  reconnectMs?: number
}

/**
 * Runs a query that is not part of the replay itself. Retries it after a deadlock or a similar error, on Neo4j 3.5 also
 * if a constraint could not be created because another one was being created. Does not wait for an unreachable target.
 */
export const uninterfered = <T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> =>
  withRetries(attempt, { gate: createGate(), signal, reconnectMs: 0 })

const mostRepeats = 8
const [firstPauseMs, longestPauseMs] = [20, 2_000]
const togetherTwice = 2

/**
 * Runs a transaction until it succeeds, or until a retry would not help. After a deadlock or a similar error it is
 * retried up to eight times, the later ones while no other transaction runs; after a lost connection, for a minute.
 * Every transaction of a replay may be repeated, even one whose commit was not reported. The driver's own retry is not
 * used, because its pauses begin at a second.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { gate, signal, onRetry, reconnectMs = 60_000 }: RetrySettings,
): Promise<T> {
  const begin = () => {
    // The signal may have been aborted while this attempt waited at the gate.
    signal.throwIfAborted()
    return attempt()
  }
  let lostAt: number | null = null
  for (let failures = 0; ; ) {
    try {
      return await gate(begin, failures > togetherTwice)
    } catch (error) {
      const remedy = remedyFor(error)
      if (remedy !== 'reconnect' && remedy !== 'repeat') throw error
      lostAt = remedy === 'repeat' ? null : (lostAt ?? performance.now())
      if (lostAt === null) failures++
      const isSpent = lostAt === null ? failures > mostRepeats : performance.now() - lostAt >= reconnectMs
      if (isSpent || signal.aborted) throw error
      onRetry?.()
      const pauseMs = lostAt === null ? Math.min(longestPauseMs, firstPauseMs * 2 ** failures) : longestPauseMs
      await delay(Math.random() * pauseMs, undefined, { signal })
    }
  }
}
