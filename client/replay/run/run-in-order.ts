import { batchesOf, type Item } from '../order/batches.ts'
import type { LoadedPart } from '../source/load-part.ts'
import type { Runner } from './run-batch.ts'

/** Runs all pairs in the order of the packet, one transaction after the other. Consecutive ones of one text are batches. */
export async function runInOrder(
  parts: readonly Pick<LoadedPart, 'items' | 'others'>[],
  { runBatch, runOther }: Pick<Runner, 'runBatch' | 'runOther'>,
  batchRows: number,
): Promise<void> {
  let alike: Item[] = []
  const runAlike = async () => {
    for (const batch of batchesOf(alike, batchRows)) await runBatch(batch)
    alike = []
  }
  const ordered: (Item | LoadedPart['others'][number])[] = parts.flatMap(({ items, others }) =>
    [...items, ...others].sort((a, b) => a.place.pair - b.place.pair),
  )
  for (const one of ordered) {
    if (one.pair.statement !== alike[0]?.pair.statement) await runAlike()
    if ('recognised' in one) alike.push(one)
    else await runOther(one.pair, one.place)
  }
  await runAlike()
}
