import type { AppError } from '../../shared/errors/app-error.ts'
import * as errors from '../../shared/errors/catalogue.ts'

/** Reserves an amount for a client. @returns the release. @throws 429 over the client's share, 503 if none is left */
export type Budget = (client: string, amount: number) => () => void

/**
 * Limits the concurrent use of a memory-bound resource in this process; a client's further reservations may use up to
 * half of it. An amount above the limit is admitted while nothing else is reserved. @param what names it in errors.
 */
export function createBudget(most: number, what: string): Budget {
  const taken = new Map<string, number>()
  let all = 0

  function refusal(own: number, amount: number): AppError | null {
    if (own > 0 && own + amount > most / 2) return errors.tooManyAtOnce(what)
    return all > 0 && all + amount > most ? errors.processBusy(what) : null
  }

  function add(client: string, amount: number): void {
    const own = (taken.get(client) ?? 0) + amount
    if (own > 0) taken.set(client, own)
    else taken.delete(client)
    all += amount
  }

  return (client, amount) => {
    const refused = refusal(taken.get(client) ?? 0, amount)
    if (refused) throw refused
    add(client, amount)
    let isTaken = true
    return () => {
      if (isTaken) add(client, -amount)
      isTaken = false
    }
  }
}
