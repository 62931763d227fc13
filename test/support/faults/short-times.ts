import { overrides } from '../../../dev/service.ts'
/** Settings of workers in fault tests, which wait for locks to expire and for retries. */
export const shortTimes = { WORKER_LOCK_SECONDS: '3', ...overrides({ retrySeconds: 1, stalledSeconds: 1 }) }

/** Longer than a lock lasts without renewal. */
export const beyondLockMs = 1_000 * Number(shortTimes.WORKER_LOCK_SECONDS) + 1_500

/**
 * For tests that demand which run does what: a worker keeps its jobs even if a busy machine pauses it for longer than
 * short locks last. `expireLocks` ends the locks of workers that are frozen or killed.
 */
export const lastingLocks = { ...shortTimes, WORKER_LOCK_SECONDS: '60' }
