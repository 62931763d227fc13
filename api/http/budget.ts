import type { AppError } from '../../shared/errors/app-error.ts'
import * as errors from '../../shared/errors/catalogue.ts'

/** Reserves an amount for a client. @returns the release. @throws 429 over the client's share, 503 if none is left */
export type Budget = (client: string, amount: number) => () => void

/**
 * Limits the concurrent use of a memory-bound resource in this process; a client's further reservations may use up to
 * its share. An amount above the limit is admitted while nothing else is reserved. @param what names it in errors.
 */
export function createBudget(limit: number, what: string, share = limit / 2): Budget {
  const reserved = new Map<string, number>()
  let total = 0

  function refusal(own: number, amount: number): AppError | null {
    if (own > 0 && own + amount > share) return errors.tooManyAtOnce(what)
    return total > 0 && total + amount > limit ? errors.processBusy(what) : null
  }

  function add(client: string, amount: number): void {
    const own = (reserved.get(client) ?? 0) + amount
    if (own > 0) reserved.set(client, own)
    else reserved.delete(client)
    total += amount
  }

  return (client, amount) => {
    const refused = refusal(reserved.get(client) ?? 0, amount)
    if (refused) throw refused
    add(client, amount)
    let isReserved = true
    return () => {
      if (isReserved) add(client, -amount)
      isReserved = false
    }
  }
}
