import pLimit from 'p-limit'
import { describePair } from '../../../packet/kinds/kinds.ts'
import type { Pair, Place } from '../../../packet/parts/parse-part.ts'
import { ReplayError } from '../errors.ts'
import { type Batch, halvesOf } from '../order/batches.ts'
import type { PackedItem } from '../order/packed.ts'
import type { Connection } from './connection.ts'
import { describeFailure, isTaken, remedyFor, targetFailed } from './failures.ts'
import { createGate, withRetries } from './retry.ts'
import { addCommitted, commitBatch, type Tally } from './transaction.ts'

export interface RunnerSettings {
  connection: Connection
  tally: Tally
  lanes: number
  /** Receives each pair that the target refuses. Without it, such a pair ends the replay. */
  onRefused?: ((pair: Pair, place: Place) => Promise<void> | void) | undefined
  onCommit?: () => void
  /** Whether a few pairs are set aside if another element has a unique value of one, instead of refusing that one. */
  setsAside?: boolean
  /** Once it is aborted, no further transaction begins. */
  signal: AbortSignal
}

const fewestHalved = 64

const valueStays = '; no pair that runs with it frees this value: change or delete the element that has it'
const valueMayPass = '; without --in-order, the replay runs such a pair again after all others'

/** Runs batches at the target. Used by all lanes. */
export function createRunner({
  connection,
  tally,
  lanes,
  onRefused,
  onCommit,
  setsAside = false,
  signal: asked,
}: RunnerSettings) {
  const failed = new AbortController()
  const signal = AbortSignal.any([asked, failed.signal])
  const gate = createGate()
  // Transactions with relationships deadlock while they commit; if only half of the lanes commit at once, a tenth as
  // often. A distant target loses nothing by it, because a commit is one of the three answers that a lane waits for.
  const commits = pLimit(Math.ceil(lanes / 2))
  // Emptied after each window, because a packet may have any number of refused pairs.
  const refused = new Set<Place>()
  const aside = new Set<Place>()
  let mostAside = fewestHalved
  let handedOver = Promise.resolve()
  const retries = { gate, signal, onRetry: () => tally.retried++ }

  async function refuse({ place, part, recognised }: PackedItem, error: unknown): Promise<void> {
    const pair = part.pairs()[place.pair - 1] as Pair
    const name = describePair(recognised, pair.parameters)
    const hint = !isTaken(error) ? '' : setsAside ? valueStays : valueMayPass
    const message = `part ${place.part}, pair ${place.pair} (${name}): ${describeFailure(error)}${hint}`
    if (!onRefused) throw new ReplayError('failed', message, { cause: error })
    // A node delete may have been cut, and its shares have the same place.
    if (refused.has(place)) return
    refused.add(place)
    tally.rejected++
    // Several lanes may refuse pairs at the same time, but pairs are handed over one at a time.
    handedOver = handedOver.then(() => onRefused(pair, place))
    await handedOver
  }

  /** Halves a batch until the pair that failed is alone: one bad pair does not keep out the rest of its batch. */
  async function runBatch(batch: Batch<PackedItem>): Promise<void> {
    try {
      addCommitted(tally, await withRetries(() => commitBatch(connection, batch, commits), retries))
      onCommit?.()
    } catch (error) {
      const remedy = remedyFor(error)
      if (signal.aborted || remedy === 'give up' || remedy === 'reconnect' || remedy === 'repeat')
        throw targetFailed(error)
      // Settling a few pairs too many costs less than looking for the one that has to wait.
      if (setsAside && isTaken(error) && batch.items.length <= mostAside) {
        for (const { place } of batch.items) aside.add(place)
        return
      }
      const halves = halvesOf(batch)
      if (halves.length > 1) {
        for (const half of halves) await runBatch(half)
        return
      }
      await refuse(batch.items[0] as PackedItem, error)
    }
  }

  return {
    /** The first failure keeps the other lanes from beginning another transaction. */
    runBatch: (batch: Batch<PackedItem>): Promise<void> =>
      runBatch(batch).catch((error) => {
        failed.abort()
        throw error
      }),

    /** Hands over a pair that the target refuses, or ends the replay. */
    refuse,
    retries,

    /** How many pairs of a refused batch are set aside: 1 means only one that fails alone, 0 none. */
    setAsideAtMost(most = fewestHalved): void {
      mostAside = most
    },

    isAside: (place: Place): boolean => aside.has(place),

    /** The places of the pairs that were set aside since this was last called. */
    takeAside(): Place[] {
      const taken = [...aside]
      aside.clear()
      return taken
    },

    /** The places of the pairs that were refused since this was last called. */
    takeRefused(): ReadonlySet<Place> {
      const taken = new Set(refused)
      refused.clear()
      return taken
    },
  }
}

export type Runner = ReturnType<typeof createRunner>
