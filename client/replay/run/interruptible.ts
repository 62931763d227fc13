import { ReplayError } from '../errors.ts'

const longestEndMs = 10_000

/**
 * Runs what ends soon after `signal` is aborted: transactions under way may end; one that does not is left to the
 * target. @throws ReplayError `interrupted` with this message instead of anything else then
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
