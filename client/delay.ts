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
