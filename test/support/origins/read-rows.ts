import { decode } from '../../../packet/packstream/decode.ts'
import type { Origin } from '../../../shared/origin/connect.ts'
import { originCursor } from '../../../shared/origin/origin-cursor.ts'
import { type Properties, readProperties, sourceOf } from '../../../shared/origin/properties.ts'
import type { Rows } from '../../../shared/origin/rows.ts'
import { Shapes } from '../../../shared/origin/shapes.ts'

/** The columns of each row, as the driver reads them. */
export function valuesOf(rows: Rows): unknown[][] {
  const cursor = originCursor()
  return Array.from({ length: rows.length }, (_, index) => {
    const columns = cursor.openRecord(rows.bytes, rows.start(index), rows.end(index))
    return Array.from({ length: columns }, () => decode(cursor, rows.unpack))
  })
}

/** Reads all rows of a query, and gives their memory back. */
export async function readRows(origin: Pick<Origin, 'rows'>, query: string, parameters = {}): Promise<unknown[][]> {
  const { rows } = await origin.rows(query, parameters)
  if (rows === null) throw new Error('the rows take more than may be held')
  const values = valuesOf(rows)
  rows.release()
  return values
}

/** The map that is the only column of the first row. */
export function mapOf(rows: Rows): Properties {
  const cursor = originCursor()
  cursor.openRecord(rows.bytes, rows.start(0), rows.end(0))
  return readProperties(cursor, new Shapes(), sourceOf(rows))
}
