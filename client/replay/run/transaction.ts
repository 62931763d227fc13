import type { Pair } from '../../../shared/packet/parts/parse-part.ts'
import type { Batch } from '../order/batches.ts'
import { overRows, rowOf } from '../order/over-rows.ts'
import type { Connection } from './connection.ts'
import { MiscountedRows } from './failures.ts'

/** What one committed transaction did. */
export interface Committed {
  /** The target's own counters. */
  counters: Readonly<Record<string, number>>
  /** Relationships beyond one for each row: the target has parallel ones, and all were set. */
  parallelCopies: number
}

/** Runs a query in a transaction of its own; `check` may throw to roll it back. */
export async function runAlone<T>(
  connection: Connection,
  { statement, parameters }: Pick<Pair, 'statement' | 'parameters'>,
  check: (touched: unknown) => T,
): Promise<{ checked: T; counters: Committed['counters'] }> {
  const session = connection.session()
  try {
    const transaction = await session.beginTransaction()
    try {
      const { records, summary } = await transaction.run(statement, parameters)
      const checked = check(records[0]?.get(0))
      await transaction.commit()
      return { checked, counters: summary.counters.updates() }
    } finally {
      await transaction.close()
    }
  } finally {
    await session.close()
  }
}

export async function commitBatch(connection: Connection, batch: Batch): Promise<Committed> {
  const query = { statement: overRows(batch.recognised), parameters: { rows: batch.items.map(rowOf) } }
  const { checked, counters } = await runAlone(connection, query, (touched) => extraRows(batch, Number(touched)))
  return { counters, parallelCopies: checked }
}

/** @throws MiscountedRows if an upsert was lost, or set several nodes of one identity. */
function extraRows({ recognised: { kind }, items }: Batch, touched: number): number {
  if (kind !== 'nodeUpsert' && kind !== 'relationshipUpsert') return 0
  const extra = touched - items.length
  if (extra < 0) throw new MiscountedRows('the target lost it')
  if (extra > 0 && kind === 'nodeUpsert') throw new MiscountedRows('the target has several nodes of this identity')
  return extra
}
