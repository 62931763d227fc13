import type { Pair, Place } from '../pair.ts'
import type { LoadedPart } from '../source/load-part.ts'
import type { Kind } from '../statements/structure.ts'
import type { Runner } from './run-batch.ts'
import { type Lanes, runItems } from './run-items.ts'
import type { Tally } from './tally.ts'

/**
 * Runs all pairs of the parts; those of other statements last, one by one, in their order.
 * @returns where those pairs stand that the target refused.
 */
export async function runWindow(
  parts: readonly Pick<LoadedPart, 'items' | 'others'>[],
  { runBatch, runOther, takeRefused }: Runner,
  lanes: Lanes,
  tally: Tally,
): Promise<Place[]> {
  const items = parts.flatMap((part) => part.items)
  await runItems(items, lanes, runBatch)
  const others = parts.flatMap((part) => part.others)
  for (const { pair, place } of others) await runOther(pair, place)
  const refused = takeRefused()
  // Several items may be of one pair.
  const kinds = new Map<Pair, Kind | 'other'>(items.map(({ pair, recognised }) => [pair, recognised.kind]))
  for (const { pair } of others) kinds.set(pair, 'other')
  for (const [pair, kind] of kinds) if (!refused.has(pair)) tally.pairs[kind]++
  return [...refused.values()]
}
