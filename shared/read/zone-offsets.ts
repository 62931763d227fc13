import { elementKind, isList, kind, tag } from '../../packet/packstream/kinds.ts'
import type { Origin } from '../origin/connect.ts'
import { originCursor } from '../origin/origin-cursor.ts'
import { type Properties, type RowSource, readProperties } from '../origin/properties.ts'
import type { Shapes } from '../origin/shapes.ts'
import type { InternalId } from './internal-ids.ts'
import { readOffsets } from './queries.ts'

/**
 * Adds the offsets of an element's zoned datetimes. Early versions of Bolt omit them, which is ambiguous in the hour
 * that a clock change repeats. The properties become a copy with offsets, which is appended to the rows. Contract 13.
 */
export async function completeZones(
  origin: Origin,
  owner: 'node' | 'relationship',
  id: InternalId,
  element: { properties: Properties },
  source: RowSource,
  shapes: Shapes,
): Promise<void> {
  const { properties } = element
  const { keys, kinds, lacksOffsets } = properties.shape
  if (!lacksOffsets) return
  const entries: Buffer[] = [header(0xd8, keys.length)]
  for (const [index, key] of keys.entries()) {
    const of = kinds[index] as number
    const value = Buffer.from(properties.bytesOf(index))
    const isZoned = elementKind(of) === kind.zonedAtLocal
    entries.push(header(0xd0, Buffer.byteLength(key)), Buffer.from(key))
    if (!isZoned) entries.push(value)
    else {
      const count = isList(of) ? originCursor().open(value, 0, value.length).list() : 1
      entries.push(withOffsets(value, isList(of), await readOffsets(origin, owner, id, key, count)))
    }
  }
  const start = source.rows.add(Buffer.concat(entries))
  const { bytes } = source.rows
  element.properties = readProperties(originCursor().open(bytes, start, bytes.length), shapes, source)
}

/** The head of a string or map, whose size follows the marker in four bytes. */
function header(marker8: number, size: number): Buffer {
  const head = Buffer.alloc(5, marker8 + 2)
  head.writeUInt32BE(size, 1)
  return head
}

const day = 86_400

/** Adds offsets to a datetime or a list of them. Returns `value` if they do not fit, because it has changed since. */
function withOffsets(value: Buffer, isOfList: boolean, offsets: readonly number[]): Buffer {
  const cursor = originCursor().open(value, 0, value.length)
  const count = isOfList ? cursor.list() : 1
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
