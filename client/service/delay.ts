/** Waits. @throws what `signal` aborts with */
export function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  const abort = () => {
    clearTimeout(timer)
    reject(signal?.reason)
  }
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort, { once: true })
  return promise.finally(() => signal?.removeEventListener('abort', abort))
}

/** Aborts the signal that `work` gets, unless the work ends within the time. */
export async function withinTime<T>(limitMs: number, work: (late: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('too late')), limitMs)
  try {
    return await work(late.signal)
  } finally {
    clearTimeout(timer)
  }
}
