import { QueryClient, QueryObserver, type QueryObserverOptions } from '@tanstack/query-core'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { ServiceError } from '../client/service-error.ts'

/** What was asked for: the last answer, and the last error, which leaves the answer in place. */
export interface Asked<T> {
  data: T | undefined
  error: Error | null
  isLoading: boolean
  /** Whether the service is asked again without the user. */
  isRepeated: boolean
  /** When the answer came, epoch milliseconds. */
  answeredAt: number
  again(): void
}

export const queries = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: 'always' } } })

export const longestWaitMs = 60_000

/** What `Retry-After` says. */
export const retryAfterMs = (error: unknown): number =>
  error instanceof ServiceError ? error.retryAfterSeconds * 1_000 : 0

/**
 * Asks the service, and again `everyMs` after the last answer while the page is visible, or as late as the service says.
 * `key` identifies the question.
 */
export function useAsked<T>(
  key: readonly unknown[],
  ask: (signal: AbortSignal) => Promise<T>,
  everyMs?: number,
): Asked<T> {
  const options: QueryObserverOptions<T, Error> = {
    queryKey: key,
    queryFn: ({ signal }) => ask(signal),
    refetchInterval: ({ state }) =>
      everyMs === undefined ? false : Math.max(everyMs, Math.min(longestWaitMs, retryAfterMs(state.error))),
  }
  const [, render] = useState(0)
  const observer = useMemo(() => new QueryObserver<T, Error>(queries, options), [])
  useEffect(() => observer.subscribe(() => render((count) => count + 1)), [observer])
  useEffect(() => observer.setOptions(options))
  const { data, error, isPending, isFetching, dataUpdatedAt, refetch } = observer.getOptimisticResult(
    queries.defaultQueryOptions(options),
  )
  return {
    ...{ data, error, answeredAt: dataUpdatedAt },
    isLoading: isPending && isFetching,
    isRepeated: everyMs !== undefined,
    again: () => void refetch(),
  }
}
