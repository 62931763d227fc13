import { kinds } from '../../../shared/packet/kinds/kinds.ts'
import { phases } from '../../../shared/packet/kinds/phases.ts'
import type { Place } from '../../../shared/packet/parts/parse-part.ts'
import { type Batch, batchesOf, type Item } from '../order/batches.ts'
import { cellsOf, runCells } from '../order/cells.ts'
import { bucketOf, idTexts } from '../order/id-texts.ts'
import type { Runner } from './run-batch.ts'
import type { Tally } from './transaction.ts'

/**
 * If the client shares two cores with its target, two lanes are the fastest: R10 of the benchmark. With a remote target
 * a lane waits longer, so more lanes pay off.
 */
export const lanesOfAuto = 4

export interface Lanes {
  /** How many transactions may run at once. */
  lanes: number
  batchRows: number
}

type RunBatch = (batch: Batch) => Promise<void>

/**
 * Runs items, in the order of the packet if asked to.
 * @returns the places of the pairs that the target refused.
 */
export async function runWindow(
  items: readonly Item[],
  runner: Runner,
  { inOrder, ...lanes }: Lanes & { inOrder: boolean },
  tally: Tally,
): Promise<Place[]> {
  await (inOrder ? runInOrder : runItems)(items, lanes, runner.runBatch)
  const refused = runner.takeRefused()
  for (const { pair, recognised } of items) if (!refused.has(pair)) tally.pairs[recognised.kind]++
  return [...refused.values()]
}

/** Runs items in their order, one transaction at a time. Consecutive equal statements form batches. */
async function runInOrder(items: readonly Item[], { batchRows }: Lanes, runBatch: RunBatch): Promise<void> {
  for (let from = 0, to = 0; from < items.length; from = to) {
    const { statement } = (items[from] as Item).pair
    while (items[to]?.pair.statement === statement) to++
    await runBatches(items.slice(from, to), batchRows, runBatch)
  }
}

async function runBatches(items: readonly Item[], batchRows: number, runBatch: RunBatch): Promise<void> {
  for (const batch of batchesOf(items, batchRows)) await runBatch(batch)
}

/**
 * Runs items phase by phase, up to `lanes` batches at once. Items that touch a common node never run at the same time,
 * as far as their identities show.
 */
export async function runItems(items: readonly Item[], { lanes, batchRows }: Lanes, runBatch: RunBatch): Promise<void> {
  for (const { name, isSerial } of phases) {
    const due = items.filter(({ recognised }) => kinds[recognised.kind].phase === name)
    // Dividing a few items among many small transactions is not worth it.
    const used = Math.min(isSerial ? 1 : lanes, Math.ceil(due.length / batchRows))
    const buckets = used === 1 ? 1 : 2 * used
    // Sorted by start and end, so that consecutive rows change the same places of the store.
    const located = due.map((item) => ({ item, nodes: idTexts(item) })).sort((a, b) => compare(a.nodes, b.nodes))
    const cells = cellsOf(located, ({ nodes }) => nodes.map((node) => bucketOf(node, buckets)))
    await runCells(cells, used, (cell) => {
      const own = cell.items.map(({ item }) => item)
      return runBatches(own, batchRows, runBatch)
    })
  }
}

function compare(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [text, other] = [a[at] ?? '', b[at] ?? '']
    if (text !== other) return text < other ? -1 : 1
  }
  return 0
}
