import type { Batch } from '../order/batches.ts'
import { overRows, rowOf } from '../order/over-rows.ts'
import { type Connection, inSession } from './connection.ts'
import { MiscountedRows } from './failures.ts'
import type { Committed } from './tally.ts'

/** Runs a batch in a transaction of its own. */
export const commitBatch = (connection: Connection, batch: Batch): Promise<Committed> =>
  inSession(connection, async (session) => {
    const transaction = await session.beginTransaction()
    try {
      const rows = batch.items.map(rowOf)
      const { records, summary } = await transaction.run(overRows(batch.recognised), { rows })
      const parallelCopies = extraRows(batch, Number(records[0]?.get(0)))
      await transaction.commit()
      return { rows: rows.length, counters: summary.counters.updates(), parallelCopies }
    } finally {
      await transaction.close()
    }
  })

/** @throws MiscountedRows if an upsert was lost, or set several nodes of one identity. */
function extraRows({ recognised: { kind }, items }: Batch, touched: number): number {
  if (kind !== 'nodeUpsert' && kind !== 'relationshipUpsert') return 0
  const extra = touched - items.length
  if (extra < 0) throw new MiscountedRows('the target lost it')
  if (extra > 0 && kind === 'nodeUpsert') throw new MiscountedRows('the target has several nodes of this identity')
  return extra
}
