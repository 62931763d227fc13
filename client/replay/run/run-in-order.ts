import { batchesOf, type Item } from '../order/batches.ts'
import type { LoadedPart } from '../source/load-part.ts'
import type { Runner } from './run-batch.ts'

/** Runs all pairs in the order of the packet, one transaction at a time. Consecutive equal statements form batches. */
export async function runInOrder(
  parts: readonly Pick<LoadedPart, 'items'>[],
  { runBatch }: Pick<Runner, 'runBatch'>,
  batchRows: number,
): Promise<void> {
  let alike: Item[] = []
  const runAlike = async () => {
    for (const batch of batchesOf(alike, batchRows)) await runBatch(batch)
    alike = []
  }
  for (const item of parts.flatMap(({ items }) => items)) {
    if (item.pair.statement !== alike[0]?.pair.statement) await runAlike()
    alike.push(item)
  }
  await runAlike()
}
