import { ReplayError } from '../errors.ts'

const longestEndMs = 10_000

/**
 * Runs `work`, and ends soon after `signal` is aborted: open transactions get ten seconds, after which the target has
 * to end them. @throws ReplayError `interrupted` with this message, instead of any other error, once it is aborted
 */
export async function interruptible<T>(signal: AbortSignal, message: string, work: () => Promise<T>): Promise<T> {
  const overdue = Promise.withResolvers<never>()
  overdue.promise.catch(() => {})
  const onAbort = () => setTimeout(overdue.reject, longestEndMs).unref()
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work(), overdue.promise])
  } catch (error) {
    throw signal.aborted ? new ReplayError('interrupted', message) : error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
