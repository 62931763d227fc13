import type { LoadedPart } from '../source/load-part.ts'
import type { Runner } from './run-batch.ts'
import { type Lanes, runItems } from './run-items.ts'
import type { Tally } from './tally.ts'

/** Runs all pairs of the parts; those of other statements last, one by one, in their order. */
export async function runWindow(
  parts: readonly Pick<LoadedPart, 'items' | 'others'>[],
  { runBatch, runOther }: Runner,
  lanes: Lanes,
  tally: Tally,
): Promise<void> {
  const items = parts.flatMap((part) => part.items)
  await runItems(items, lanes, runBatch)
  // Several items may be of one pair.
  const pairs = new Map(items.map(({ pair, recognised }) => [pair, recognised.kind]))
  for (const kind of pairs.values()) tally.pairs[kind]++
  for (const { pair, place } of parts.flatMap((part) => part.others)) {
    await runOther(pair, place)
    tally.pairs.other++
  }
}
