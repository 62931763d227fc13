import { kinds } from '../../../packet/kinds/kinds.ts'
import { phases } from '../../../packet/kinds/phases.ts'
import type { Place } from '../../../packet/parts/parse-part.ts'
import { type Batch, batchesOf } from '../order/batches.ts'
import { cellsOf, runCells } from '../order/cells.ts'
import type { PackedItem } from '../order/packed.ts'
import type { Runner } from './run-batch.ts'
import type { Tally } from './transaction.ts'

/**
 * Four are faster than one even if the client shares two cores with its target: R10 of the benchmark. With a remote
 * target a lane waits longer, so more lanes pay off.
 */
export const lanesOfAuto = 4

export interface Lanes {
  /** How many transactions may run at once. */
  lanes: number
  batchRows: number
}

type RunBatch = (batch: Batch<PackedItem>) => Promise<void>

/**
 * Runs items, in the order of the packet if asked to.
 * @returns the places of the pairs that the target refused.
 */
export async function runWindow(
  items: readonly PackedItem[],
  runner: Runner,
  { inOrder, ...lanes }: Lanes & { inOrder: boolean },
  tally: Tally,
): Promise<Place[]> {
  await (inOrder ? runInOrder : runItems)(items, lanes, runner.runBatch)
  const refused = runner.takeRefused()
  const isRun = ({ place }: PackedItem) => !refused.has(place) && !runner.isAside(place)
  for (const item of items) if (isRun(item)) tally.pairs[item.recognised.kind]++
  return [...refused]
}

/** Runs items in their order, one transaction at a time. Consecutive equal statements form batches. */
async function runInOrder(items: readonly PackedItem[], { batchRows }: Lanes, runBatch: RunBatch): Promise<void> {
  for (let from = 0, to = 0; from < items.length; from = to) {
    const { statement } = (items[from] as PackedItem).recognised
    while (items[to]?.recognised.statement === statement) to++
    await runBatches(items.slice(from, to), batchRows, runBatch)
  }
}

async function runBatches(items: readonly PackedItem[], batchRows: number, runBatch: RunBatch): Promise<void> {
  for (const batch of batchesOf(items, batchRows)) await runBatch(batch)
}

/**
 * Runs items phase by phase, up to `lanes` batches at once. Items that touch a common node never run at the same time,
 * as far as their identities show.
 */
export async function runItems(
  items: readonly PackedItem[],
  { lanes, batchRows }: Lanes,
  runBatch: RunBatch,
): Promise<void> {
  for (const { name, isSerial } of phases) {
    const due = items.filter(({ recognised }) => kinds[recognised.kind].phase === name)
    // Dividing a few items among many small transactions is not worth it.
    const used = Math.min(isSerial ? 1 : lanes, Math.ceil(due.length / batchRows))
    // Cells of two buckets occupy all lanes but one, which runs a cell of one bucket. Fewer buckets make larger batches.
    const buckets = 2 * used - 1
    const cells = cellsOf(due, ({ nodes }) => nodes.map((hash) => hash % buckets))
    await runCells(cells, used, (cell) => runBatches(cell.items, batchRows, runBatch))
  }
}
