import pRetry from 'p-retry'
import { delay } from './delay.ts'
import { ServiceError } from './service-error.ts'

const longestPauseSeconds = 60
const pauses = { retries: 6, minTimeout: 500, factor: 2, maxTimeout: 15_000, randomize: true }

/**
 * Retries a request that may succeed later, with pauses of about half a minute in all. Waits up to a minute if
 * `Retry-After` says so.
 */
export function persist<T>(request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return pRetry(request, {
    ...pauses,
    ...(signal ? { signal } : {}),
    shouldRetry: ({ error }) => error instanceof ServiceError && error.mayPass,
    async onFailedAttempt({ error, retriesLeft, retryDelay }) {
      if (!(error instanceof ServiceError) || !error.mayPass || retriesLeft === 0) return
      const asked = Math.min(error.retryAfterSeconds, longestPauseSeconds) * 1_000
      if (asked > retryDelay) await delay(asked - retryDelay, signal)
    },
  })
}
