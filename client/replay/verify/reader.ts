import { subjectOf } from '../../../shared/packet/kinds/kinds.ts'
import { type Batch, batchesOf, halvesOf, type Item } from '../order/batches.ts'
import { runCells } from '../order/cells.ts'
import type { Connection } from '../run/connection.ts'
import { describeFailure, remedyFor, targetFailed } from '../run/failures.ts'
import { createGate, withRetries } from '../run/retry.ts'
import { lanesOfAuto } from '../run/run-window.ts'
import { type Difference, differencesOf } from './read-back.ts'

export interface ReaderSettings {
  /** How many queries may run at once; `auto`: as many as transactions of a replay. */
  lanes: number | 'auto'
  /** The most pairs of a query. */
  batchRows: number
  /** How many differences to describe; all are counted. */
  mostShown: number
  signal: AbortSignal
}

/** Compares items with the target, several batches at once. Halves a batch that the target refuses. */
export function createReader(connection: Connection, { lanes, batchRows, mostShown, signal }: ReaderSettings) {
  const retries = { gate: createGate(), signal }

  async function read(batch: Batch): Promise<Difference[]> {
    try {
      return await withRetries(() => differencesOf(connection, batch, mostShown), retries)
    } catch (error) {
      const remedy = remedyFor(error)
      if (signal.aborted || (remedy !== 'halve' && remedy !== 'find the pair')) throw targetFailed(error)
      const [half, rest] = halvesOf(batch) as [Batch, Batch?]
      if (rest) return (await read(half)).concat(await read(rest))
      if (remedy === 'halve') throw targetFailed(error)
      const [item] = batch.items as [Item]
      const text = `${subjectOf(item.recognised, item.parameters)}: ${describeFailure(error)}`
      return [{ item, kind: 'invalidPair', text }]
    }
  }

  return (items: readonly Item[], onRead: (batch: Batch, found: Difference[]) => void): Promise<void> => {
    // Queries lock nothing, so none waits for another.
    const cells = batchesOf(items, batchRows).map((batch) => ({ buckets: [], items: [batch] }))
    return runCells(cells, lanes === 'auto' ? lanesOfAuto : lanes, async ({ items: [batch] }) =>
      onRead(batch as Batch, await read(batch as Batch)),
    )
  }
}
