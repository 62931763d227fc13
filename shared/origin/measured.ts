import { AppError } from '../errors/app-error.ts'
import { timing } from '../observability/timed.ts'
import { type Origin, type OriginSettings, openOrigin } from './connect.ts'

type Target = Parameters<typeof openOrigin>[0]

/** What may pass is a failure; the rest is the origin, or our own policy, that will not. */
const outcomeOf = (error: unknown) => (error instanceof AppError && !error.retryable ? 'refused' : 'failed')

/**
 * Opens an origin of which `settings.observe` is told how long it takes: to be connected to, and to answer a query with
 * its first row, or with all of them where they come together.
 */
export async function openMeasured(
  target: Target,
  settings: OriginSettings,
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
      // No generator around the other: each row would pay for it.
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
