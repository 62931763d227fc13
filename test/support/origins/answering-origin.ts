import type { Origin } from '../../../shared/origin/connect.ts'
import { originCursor } from '../../../shared/origin/origin-cursor.ts'
import { only } from '../values/only.ts'
import { driverOf, recordOf, rowsOf } from './packstream.ts'

/** An origin that answers each query with these rows, which may be endless; it knows no schema. */
export function answeringOrigin(
  answer: (query: string, parameters: Record<string, unknown>) => Iterable<readonly unknown[]>,
  driver = driverOf('5x0'),
): Origin {
  return only<Origin>({
    legacy: false,
    ask: async () => null,
    async each(query, parameters, take) {
      for (const row of answer(query, parameters)) {
        const record = recordOf(row.map(driver.pack))
        const cursor = originCursor()
        cursor.openRecord(record, 0, record.length)
        take(cursor)
      }
    },
    async rows(query, parameters) {
      const rows = rowsOf([...answer(query, parameters)], driver)
      return { rows, rowBytes: rows.length === 0 ? 0 : rows.end(rows.length - 1) / rows.length }
    },
  })
}
