import { elementKind, isList, kind, tag } from '../../packet/packstream/kinds.ts'
import { passValue } from '../../packet/packstream/pass-value.ts'
import type { Origin } from '../origin/connect.ts'
import { originCursor } from '../origin/origin-cursor.ts'
import { type Properties, type RowSource, readProperties } from '../origin/properties.ts'
import type { Shapes } from '../origin/shapes.ts'
import type { InternalId } from './internal-ids.ts'
import { readZoned } from './queries.ts'

/**
 * Adds the offsets of an element's zoned datetimes. Early versions of Bolt omit them, which is ambiguous in the hour
 * that a clock change repeats. The properties become a copy with offsets, which is appended to the rows. It has these
 * properties as they are now, because they may have changed since they were read. Contract 13.
 * @returns whether the element still exists
 */
export async function completeZones(
  origin: Origin,
  owner: 'node' | 'relationship',
  id: InternalId,
  element: { properties: Properties },
  source: RowSource,
  shapes: Shapes,
): Promise<boolean> {
  const { properties } = element
  const { keys, kinds, lacksOffsets } = properties.shape
  if (!lacksOffsets) return true
  const entries: { key: Buffer; value: Buffer }[] = []
  for (const [index, name] of keys.entries()) {
    const key = Buffer.from(name)
    if (elementKind(kinds[index] as number) !== kind.zonedAtLocal) {
      entries.push({ key, value: Buffer.from(properties.bytesOf(index)) })
      continue
    }
    const zoned = await readZoned(origin, owner, id, name)
    if (zoned === null) return false
    if (!zoned.isAbsent) entries.push({ key, value: withOffsets(zoned.value, zoned.offsets) })
  }
  const map = entries.flatMap(({ key, value }) => [header(0xd0, key.length), key, value])
  const start = source.rows.add(Buffer.concat([header(0xd8, entries.length), ...map]))
  const { bytes } = source.rows
  element.properties = readProperties(originCursor().open(bytes, start, bytes.length), shapes, source)
  return true
}

/** The head of a string or map, whose size follows the marker in four bytes. */
function header(marker8: number, size: number): Buffer {
  const head = Buffer.alloc(5, marker8 + 2)
  head.writeUInt32BE(size, 1)
  return head
}

const day = 86_400

/** Adds offsets to a datetime or a list of them. Returns `value` if they do not fit, or it is of another kind now. */
function withOffsets(value: Buffer, offsets: readonly number[]): Buffer {
  const cursor = originCursor().open(value, 0, value.length)
  const of = passValue(cursor)
  if (elementKind(of) !== kind.zonedAtLocal) return value
  cursor.at = 0
  const count = isList(of) ? cursor.list() : 1
  if (offsets.length !== count || offsets.some((offset) => Math.abs(offset) > day)) return value
  const pieces = [value.subarray(0, cursor.at)]
  for (const offset of offsets) {
    const start = cursor.at
    cursor.skip()
    // A list may also have datetimes with an offset instead of a zone.
    if (value[start + 1] !== tag.zonedAtLocal) {
      pieces.push(value.subarray(start, cursor.at))
      continue
    }
    const last = Buffer.alloc(5, 0xca)
    last.writeInt32BE(offset, 1)
    pieces.push(Buffer.from([0xb4, tag.zonedWithOffset]), value.subarray(start + 2, cursor.at), last)
  }
  return Buffer.concat(pieces)
}
