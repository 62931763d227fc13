/** Thrown by `withTimeout`; has the code of Node's own timeouts. */
export class TimeoutError extends Error {
  readonly code = 'ETIMEDOUT'
}

/** Returns the outcome of `work`. @throws {TimeoutError} after `limitMs`; `work` itself continues. */
export async function withTimeout<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new TimeoutError(`no result within ${limitMs} ms`)), limitMs)
  return Promise.race([work, expired]).finally(() => clearTimeout(timer))
}
