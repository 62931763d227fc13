import type { Row } from '../../../shared/packet/check/check.ts'
import type { Finding } from '../../../shared/packet/check/finding.ts'
import { checkOf, subjectOf } from '../../../shared/packet/kinds/kinds.ts'
import type { Batch, Item } from '../order/batches.ts'
import { overNumberedRows } from '../order/over-rows.ts'
import type { Connection } from '../run/connection.ts'

/** One way in which the target differs from what a pair of the packet says. */
export interface Difference extends Finding {
  item: Item
}

/** Reads the elements that a batch is about; changes nothing. Only the first `mostShown` differences have a text. */
export async function differencesOf(
  connection: Connection,
  { recognised, items }: Batch,
  mostShown: number,
): Promise<Difference[]> {
  const check = checkOf(recognised)
  const names = check.query.flatMap((part) => (typeof part === 'string' ? [] : [part.name]))
  const rows = items.map(({ parameters }) => Object.fromEntries(names.map((name) => [name, parameters[name]])))
  const values = items.map(({ parameters }) => check.values?.(parameters) ?? [])
  const earlier = new Map<number, number>()
  const found: Difference[] = []
  const session = connection.session()
  try {
    // Row by row, because the result may be much larger than the batch.
    for await (const record of session.run(overNumberedRows(check.query), { rows, values })) {
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
  } finally {
    await session.close()
  }
}
