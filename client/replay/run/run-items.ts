import { kinds } from '../../../shared/packet/kinds/kinds.ts'
import { phases } from '../../../shared/packet/kinds/phases.ts'
import { type Batch, batchesOf, type Item } from '../order/batches.ts'
import { cellsOf, runCells } from '../order/cells.ts'
import { bucketOf, identityTexts } from '../order/identity-text.ts'

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

/**
 * Runs items phase by phase, up to `lanes` batches at once. Items that touch a common node never run at the same time,
 * as far as their identities show.
 */
export async function runItems(
  items: readonly Item[],
  settings: Lanes,
  runBatch: (batch: Batch) => Promise<void>,
): Promise<void> {
  for (const phase of phases) {
    const due = items.filter(({ recognised }) => kinds[recognised.kind].phase === phase.name)
    if (due.length > 0) await runPhase(due, phase.isSerial ? { ...settings, lanes: 1 } : settings, runBatch)
  }
}

async function runPhase(
  items: readonly Item[],
  { lanes: most, batchRows }: Lanes,
  runBatch: (batch: Batch) => Promise<void>,
): Promise<void> {
  // Dividing a few items among many small transactions is not worth it.
  const lanes = Math.min(most, Math.ceil(items.length / batchRows))
  const buckets = lanes === 1 ? 1 : 2 * lanes
  // Sorted by start and end, so that consecutive rows change the same places of the store.
  const located = items
    .map((item) => ({ item, nodes: identityTexts(item.recognised, item.parameters) }))
    .sort((a, b) => compare(a.nodes, b.nodes))
  const cells = cellsOf(located, ({ nodes }) => nodes.map((node) => bucketOf(node, buckets)))
  await runCells(cells, lanes, async (cell) => {
    for (const batch of batchesOf(
      cell.items.map(({ item }) => item),
      batchRows,
    )) {
      await runBatch(batch)
    }
  })
}

function compare(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < a.length; at++) {
    const [text, other] = [a[at] as string, b[at] ?? '']
    if (text !== other) return text < other ? -1 : 1
  }
  return 0
}
