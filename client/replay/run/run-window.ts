import type { Place } from '../../../shared/packet/parts/parse-part.ts'
import type { LoadedPart } from '../source/load-part.ts'
import type { Runner } from './run-batch.ts'
import { runInOrder } from './run-in-order.ts'
import { type Lanes, runItems } from './run-items.ts'
import type { Tally } from './tally.ts'

/**
 * Runs all pairs of the parts, in the order of the packet if asked to.
 * @returns the places of the pairs that the target refused.
 */
export async function runWindow(
  parts: readonly Pick<LoadedPart, 'items'>[],
  runner: Runner,
  { inOrder, ...lanes }: Lanes & { inOrder: boolean },
  tally: Tally,
): Promise<Place[]> {
  const items = parts.flatMap((part) => part.items)
  if (inOrder) await runInOrder(parts, runner, lanes.batchRows)
  else await runItems(items, lanes, runner.runBatch)
  const refused = runner.takeRefused()
  for (const [at, { pair, recognised }] of items.entries()) {
    // One pair may have several items, which stand next to each other.
    if (pair !== items[at - 1]?.pair && !refused.has(pair)) tally.pairs[recognised.kind]++
  }
  return [...refused.values()]
}
