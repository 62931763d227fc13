/** Waits for a free slot, then runs the work. @throws the signal's reason if it aborts first, or the work's error. */
export type InTurn = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>

/** Limits concurrency to `most`; further calls queue in order of arrival. */
export function createTurns(most: number): InTurn {
  const waiting = new Set<() => void>()
  let free = most

  async function turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (free > 0) {
      free--
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => {
      waiting.delete(resolve)
      reject(signal.reason)
    }
    waiting.add(resolve)
    signal.addEventListener('abort', giveUp, { once: true })
    await promise.finally(() => signal.removeEventListener('abort', giveUp))
  }

  function pass(): void {
    const [next] = waiting
    if (next === undefined) return void free++
    waiting.delete(next)
    next()
  }

  return async (signal, work) => {
    await turn(signal)
    try {
      return await work()
    } finally {
      pass()
    }
  }
}
