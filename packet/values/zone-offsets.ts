import neo4j, { type DateTime } from 'neo4j-driver'
import { quote } from '../cypher/identifiers.ts'
import { isUndecodable } from './render-value.ts'

/** Whether a value is a zoned datetime as Bolt 3 sends it. Only later versions send values that do not decode. */
const lacksOffset = (value: unknown): value is DateTime<bigint> =>
  !isUndecodable(value) &&
  neo4j.isDateTime(value as object) &&
  ((value as DateTime).timeZoneOffsetSeconds ?? null) === null

/**
 * Bolt 3 omits the offset of a zoned datetime, which is ambiguous in the hour that a clock change repeats. This adds
 * the missing offsets in place; `offsetsOf` returns one for each value under the key. Contract 13.
 */
export async function completeOffsets(
  { keys, values }: { keys: readonly string[]; values: unknown[] },
  offsetsOf: (key: string) => Promise<readonly bigint[]>,
): Promise<void> {
  for (const [index, key] of keys.entries()) {
    const value = values[index]
    const isList = Array.isArray(value)
    const all: unknown[] = isList ? value : [value]
    // A list may have datetimes at offsets, too, even before the first one in a zone.
    if (!all.some(lacksOffset)) continue
    const offsets = await offsetsOf(key)
    const completed = all.map((at, position) => withOffset(at as DateTime<bigint>, offsets[position]))
    values[index] = isList ? completed : completed[0]
  }
}

function withOffset(at: DateTime<bigint>, offset: bigint | undefined) {
  const { year, month, day, hour, minute, second, nanosecond, timeZoneId } = at
  return new neo4j.types.DateTime(year, month, day, hour, minute, second, nanosecond, offset, timeZoneId)
}

const patternOf = (owner: 'node' | 'relationship') => (owner === 'node' ? '(x)' : '()-[x]->()')
// Appending to an empty list wraps a single value and leaves a list unchanged.
const offsetsOf = (value: string) => `[at IN [] + ${value} | at.offsetSeconds]`

/** A query whose only value is the list of offsets of a property. `$id`: the internal id of the element. */
export const offsetsQuery = (owner: 'node' | 'relationship', key: string): string =>
  `MATCH ${patternOf(owner)} WHERE id(x) = $id RETURN ${offsetsOf(`x.${quote(key)}`)} AS offsets`

/** The same with the property itself as the first value, from one look. */
export const zonedQuery = (owner: 'node' | 'relationship', key: string): string =>
  `MATCH ${patternOf(owner)} WHERE id(x) = $id WITH x.${quote(key)} AS value RETURN value, ${offsetsOf('value')} AS offsets`
