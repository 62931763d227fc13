import { QueryClient, QueryObserver, type QueryObserverOptions } from '@tanstack/query-core'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ServiceError } from '../client/service/service-error.ts'

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

/** Whether the same question may get an answer later: a refusal of the request itself stays. */
export function mayPass(error: Error): boolean {
  if (!(error instanceof ServiceError)) return false
  const { status, mayPass: isPassing } = error
  return isPassing || status === null || status < 400 || status >= 500
}

/** How long to wait after an error that may pass. */
export const pauseMs = (error: Error | null): number =>
  Math.max(usualPauseMs, Math.min(longestWaitMs, retryAfterMs(error)))

const usualPauseMs = 5_000

/**
 * Asks the service, and again `everyMs` after the last answer while the page is visible, or as late as the service says.
 * After an error that may pass it asks again, too.
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
    refetchInterval({ state: { error } }) {
      if (error !== null) return mayPass(error) && pauseMs(error)
      return everyMs ?? false
    },
  }
  const [, render] = useState(0)
  const observer = useMemo(() => new QueryObserver<T, Error>(queries, options), [])
  useEffect(() => observer.subscribe(() => render((count) => count + 1)), [observer])
  useEffect(() => observer.setOptions(options))
  const { data, error, isPending, isFetching, dataUpdatedAt, refetch } = observer.getOptimisticResult(
    queries.defaultQueryOptions(options),
  )
  // While the service is asked again, the last error stays.
  const failed = useRef<{ of: string; error: Error } | null>(null)
  const of = JSON.stringify(key)
  if (error !== null) failed.current = { of, error }
  else if (!isFetching || failed.current?.of !== of) failed.current = null
  const shown = error ?? failed.current?.error ?? null
  return {
    data,
    error: shown,
    answeredAt: dataUpdatedAt,
    isLoading: isPending && isFetching,
    isRepeated: shown === null ? everyMs !== undefined : mayPass(shown),
    again: () => void refetch(),
  }
}
