import { AppError } from '../errors/app-error.ts'
import { type ObserveCall, timing } from '../observability/timed.ts'
import { type OpenSettings, type Origin, openOrigin } from './connect.ts'

export interface MeasuredSettings extends OpenSettings {
  /** Observes the duration of each call. */
  observe?: ObserveCall
}

type MeasuredTarget = Parameters<typeof openOrigin>[0]

/** A non-retryable error is a refusal, by the origin or by our own policy; any other error is a failure. */
const outcomeOf = (error: unknown) => (error instanceof AppError && !error.retryable ? 'refused' : 'failed')

/**
 * Opens an origin and reports to `settings.observe` how long connecting took (`reuse` for kept connections), and how
 * long each query took until its last row.
 */
export async function openMeasured(
  target: MeasuredTarget,
  settings: MeasuredSettings,
  limitSeconds: number,
  signal?: AbortSignal,
): Promise<Origin> {
  const { observe = () => {} } = settings
  let operation = 'connect'
  const origin = await timing(
    operation,
    async () => {
      const opened = await openOrigin(target, settings, limitSeconds, undefined, signal)
      if (opened.isReused) operation = 'reuse'
      return opened
    },
    outcomeOf,
    (_, outcome, seconds) => observe(operation, outcome, seconds),
  )
  return {
    ...origin,
    each: (query, parameters, take) => timing('read', () => origin.each(query, parameters, take), outcomeOf, observe),
    rows: (...query) => timing('read', () => origin.rows(...query), outcomeOf, observe),
  }
}
