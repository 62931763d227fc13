import type { Row } from '../../../packet/check/check.ts'
import type { Finding } from '../../../packet/check/finding.ts'
import { checkOf, subjectOf } from '../../../packet/kinds/kinds.ts'
import { type Batch, batchesOf, halvesOf, type Item } from '../order/batches.ts'
import { runCells } from '../order/cells.ts'
import { overNumberedRows } from '../order/over-rows.ts'
import { type Connection, inSession } from '../run/connection.ts'
import { describeFailure, remedyFor, targetFailed } from '../run/failures.ts'
import { createGate, withRetries } from '../run/retry.ts'
import { lanesOfAuto } from '../run/run-window.ts'
import { PackedRows } from '../run/sending.ts'

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

/** One way in which the target differs from what a pair of the packet says. */
export interface Difference extends Finding {
  item: Item
}

/** Reads the elements that a batch is about; changes nothing. Only the first `mostShown` differences have a text. */
export function differencesOf(
  connection: Connection,
  { recognised, items }: Batch,
  mostShown: number,
): Promise<Difference[]> {
  const check = checkOf(recognised)
  const names = check.query.flatMap((part) => (typeof part === 'string' ? [] : [part.name]))
  const rows = items.map(({ parameters }) => Object.fromEntries(names.map((name) => [name, parameters[name]])))
  const values = items.map(({ parameters }) => check.values?.(parameters) ?? [])
  const packed = { rows: PackedRows.of(rows), values: PackedRows.of(values) }
  const earlier = new Map<number, number>()
  const found: Difference[] = []
  return inSession(connection, async (session) => {
    // Row by row, because the result may be much larger than the batch.
    for await (const record of session.run(overNumberedRows(check.query), packed)) {
      const row = record.toObject() as Row & { at: bigint }
      const at = Number(row.at)
      const item = items[at] as Item
      const count = earlier.get(at) ?? 0
      earlier.set(at, count + 1)
      const subject = () => subjectOf(recognised, item.parameters)
      for (const { kind, text } of check.findings(row, subject, item.parameters, count)) {
        found.push({ kind, item, text: found.length < mostShown ? text : '' })
      }
    }
    return found
  })
}
