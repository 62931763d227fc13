import type { AppError } from '../../../shared/errors/app-error.ts'
import * as errors from '../../../shared/errors/catalogue.ts'

/** Reserves an amount for a client. @throws 429 above the client's share, 503 if the limit is reached */
export type Budget = (client: string, amount: number) => Reservation

/** A call releases the reserved amount. */
export interface Reservation {
  (): void
  /** Adds to the amount, unless it was released. @throws like a new reservation; the amount then stays as it was */
  add(amount: number): void
}

/**
 * Limits the concurrent use of a memory-bound resource in this process. The share limits a client from its second
 * reservation on. An amount above the limit is admitted while nothing else is reserved.
 * @param what names the resource in errors.
 */
export function createBudget(limit: number, what: string, share = limit / 2): Budget {
  const reserved = new Map<string, number>()
  let total = 0

  /** @param own the client's other reservations. @param others all other reservations. */
  function refusal(own: number, others: number, amount: number): AppError | null {
    if (own > 0 && own + amount > share) return errors.tooManyAtOnce(what)
    return others > 0 && others + amount > limit ? errors.processBusy(what) : null
  }

  function add(client: string, amount: number): void {
    const own = (reserved.get(client) ?? 0) + amount
    if (own > 0) reserved.set(client, own)
    else reserved.delete(client)
    total += amount
  }

  return (client, amount) => {
    let [held, isReserved] = [0, true]
    function grow(more: number): void {
      if (!isReserved) return
      const own = (reserved.get(client) ?? 0) - held
      const refused = more > 0 ? refusal(own, total - held, held + more) : null
      if (refused) throw refused
      add(client, more)
      held += more
    }
    function release(): void {
      if (isReserved) add(client, -held)
      isReserved = false
    }
    grow(amount)
    return Object.assign(release, { add: grow })
  }
}
