import { type Columns, expressionsOf } from './columns.ts'

/** The most elements of one record. Of larger elements than the ones before, so many may be in memory at once. */
const mostElements = 8
/** Target size of a record, if its elements are as large as the largest of those read before. */
const recordBytes = 2 * 1024 * 1024

/** How many elements are returned in one record, given the approximate memory of the largest. */
export const elementsPerRecord = (largestBytes: number): number =>
  Math.max(1, Math.min(mostElements, Math.floor(recordBytes / Math.max(1, largestBytes))))

interface ElementQuery {
  match: string
  variable: string
  bound: readonly string[]
  head: (...bound: string[]) => readonly string[]
}

/**
 * The query that returns the elements of a pattern as columns, `$elements` in each record, since a record costs origin
 * and driver as much as several values. What the elements hold is read when the origin sends the record, so that it
 * has the values of one record in memory. An element deleted meanwhile has no properties then.
 */
export function queryOfRecords({ match, variable, bound, head }: ElementQuery, columns: Columns): string {
  const isOne = bound.length === 1
  const names = isOne ? ['x'] : bound.map((_, at) => `x[${at}]`)
  const collected = `${match} WITH collect(${isOne ? bound[0] : `[${bound.join(', ')}]`}) AS found`
  const records = 'UNWIND range(0, size(found) - 1, $elements) AS at'
  const row = `[${[...expressionsOf(columns, 'p'), ...head(...names)].join(', ')}]`
  // A map of properties is made once, not once per column: a quarter less work for the origin. `reduce` names it.
  const rowOf = `reduce(row = null, p IN [properties(${names[bound.indexOf(variable)]})] | ${row})`
  return `${collected} ${records} RETURN [x IN found[at..at + $elements] | ${rowOf}]`
}

/** Whether a row may be of an element that was deleted before it was read: it has none of the expected properties. */
export function isDoubtful({ keys }: Columns, row: readonly unknown[]): boolean {
  if (row[keys.length] !== 0) return false
  return keys.length > 0 || row.some((value) => Array.isArray(value) && value.length === 0)
}
