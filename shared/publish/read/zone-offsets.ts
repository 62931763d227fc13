import neo4j, { type DateTime } from 'neo4j-driver'
import type { Origin } from '../../origin/connect.ts'
import type { Properties } from './columns.ts'
import type { InternalId } from './internal-ids.ts'
import { readOffsets } from './queries.ts'

const lacksOffset = (value: unknown): value is DateTime<bigint> =>
  neo4j.isDateTime(value as object) && ((value as DateTime).timeZoneOffsetSeconds ?? null) === null

/**
 * Bolt 3 omits the offset of a zoned datetime, which is ambiguous in the hour that a clock change repeats: such values
 * get their offset from the origin. Only for such origins. Contract 13.
 */
export async function completeZones(
  origin: Origin,
  owner: 'node' | 'relationship',
  id: InternalId,
  { keys, values }: Pick<Properties, 'keys' | 'values'>,
): Promise<void> {
  for (const [index, key] of keys.entries()) {
    const value = values[index]
    const isList = Array.isArray(value)
    if (!lacksOffset(isList ? value[0] : value)) continue
    const offsets = await readOffsets(origin, owner, id, key)
    const completed = (isList ? value : [value]).map((at, position) =>
      withOffset(at as DateTime<bigint>, offsets[position]),
    )
    values[index] = isList ? completed : completed[0]
  }
}

function withOffset(at: DateTime<bigint>, offset: bigint | undefined) {
  const { year, month, day, hour, minute, second, nanosecond, timeZoneId } = at
  return new neo4j.types.DateTime(year, month, day, hour, minute, second, nanosecond, offset, timeZoneId)
}
