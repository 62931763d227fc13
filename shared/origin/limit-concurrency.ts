/** Waits for a free slot, then runs the work. @throws the signal's reason if it aborts first, or the work's error. */
export type LimitedRun = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>

/** Limits concurrency to `most`; further calls queue in order of arrival. */
export function limitConcurrency(most: number): LimitedRun {
  const waiting = new Set<() => void>()
  let free = most

  async function acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (free > 0) {
      free--
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => {
      waiting.delete(resolve)
      reject(signal.reason)
    }
    waiting.add(resolve)
    signal.addEventListener('abort', abort, { once: true })
    await promise.finally(() => signal.removeEventListener('abort', abort))
  }

  function release(): void {
    const [next] = waiting
    if (next === undefined) return void free++
    waiting.delete(next)
    next()
  }

  return async (signal, work) => {
    await acquire(signal)
    try {
      return await work()
    } finally {
      release()
    }
  }
}
