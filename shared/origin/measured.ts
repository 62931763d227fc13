import type { OriginSettings } from '../config/settings.ts'
import { AppError } from '../errors/app-error.ts'
import { type ObserveCall, timing } from '../observability/timed.ts'
import { type Origin, openOrigin } from './connect.ts'

export interface MeasuredSettings extends OriginSettings {
  /** Observes the duration of each call. */
  observe?: ObserveCall
}

type Target = Parameters<typeof openOrigin>[0]

/** A non-retryable error is a refusal, by the origin or by our own policy; any other error is a failure. */
const outcomeOf = (error: unknown) => (error instanceof AppError && !error.retryable ? 'refused' : 'failed')

/**
 * Opens an origin and reports latencies to `settings.observe`: of the connection, and of each query until its first
 * row, or until all rows where they are returned together.
 */
export async function openMeasured(
  target: Target,
  settings: MeasuredSettings,
  limitSeconds: number,
  signal?: AbortSignal,
): Promise<Origin> {
  const { observe = () => {} } = settings
  const origin = await timing(
    'connect',
    () => openOrigin(target, settings, limitSeconds, undefined, signal),
    outcomeOf,
    observe,
  )
  return {
    ...origin,
    read(query, parameters) {
      const rows = origin.read(query, parameters)
      const next = rows.next.bind(rows)
      let isFirst = true
      // Not wrapped in another generator, which would slow down every row.
      rows.next = () => {
        if (!isFirst) return next()
        isFirst = false
        return timing('read', next, outcomeOf, observe)
      }
      return rows
    },
    each: (query, parameters, take) => timing('read', () => origin.each(query, parameters, take), outcomeOf, observe),
    rows: (query, parameters) => timing('read', () => origin.rows(query, parameters), outcomeOf, observe),
    rowsWithin: (mostBytes, query, parameters) =>
      timing('read', () => origin.rowsWithin(mostBytes, query, parameters), outcomeOf, observe),
  }
}
