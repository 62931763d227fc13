import type { ApiContext } from '../context.ts'
import type { Reservation } from './body/budget.ts'
import type { Input } from './endpoint.ts'

/**
 * Reserves memory for the lists of a client, until the answer is sent or until the reservation is called.
 * @throws clientGone (499), tooManyAtOnce (429), processBusy (503)
 */
export function listMemory(
  { listBudget }: Pick<ApiContext, 'listBudget'>,
  { signal, principal }: Pick<Input, 'signal' | 'principal'>,
): (bytes: number) => Reservation {
  return (bytes) => {
    signal.throwIfAborted()
    const reservation = listBudget(principal.identity, bytes)
    signal.addEventListener('abort', reservation, { once: true })
    return reservation
  }
}
