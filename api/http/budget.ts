import type { AppError } from '../../shared/errors/app-error.ts'
import * as errors from '../../shared/errors/catalogue.ts'

/** Reserves an amount for a client. @throws 429 over the client's share, 503 if none is left */
export type Budget = (client: string, amount: number) => Reservation

/** Called, it releases what is reserved. */
export interface Reservation {
  (): void
  /** Changes the amount, as long as it is not released. @throws as the reservation itself, and then changes nothing */
  add(amount: number): void
}

/**
 * Limits the concurrent use of a memory-bound resource in this process; a client's further reservations may use up to
 * its share. An amount above the limit is admitted while nothing else is reserved. @param what names it in errors.
 */
export function createBudget(limit: number, what: string, share = limit / 2): Budget {
  const reserved = new Map<string, number>()
  let total = 0

  /** @param own what the client has reserved otherwise. @param others what all clients have. */
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
