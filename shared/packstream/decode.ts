import neo4j, { type DateTime } from 'neo4j-driver'
import { type Cursor, isTinyInteger, malformed, marker } from './cursor.ts'
import { tag } from './kinds.ts'

/** Decodes one value as the driver of a connection does. */
export type Unpack = (bytes: Buffer) => unknown

/** Values of a structure. Beyond it the service reads an empty object. No structure of Neo4j has more. */
const mostValues = 100
/**
 * Elements of a list that the service decodes, such as an id. Beyond it the publish fails with `502 originBroke`. An
 * element of one byte becomes an object.
 */
const mostElements = 1_000_000

/**
 * Reads a value as the driver does, with integers as BigInt, where the code needs the value itself: for parameters of
 * queries, names of types and searches by id. Returns every map as an empty object.
 */
export function decode(cursor: Cursor, unpack: Unpack): unknown {
  const first = cursor.peek()
  if (isTinyInteger(first) || (first >= marker.int8 && first <= marker.int64)) return cursor.bigint()
  if (first < 0x90 || (first >= marker.string8 && first <= marker.string32)) return cursor.text()
  if (first < 0xa0 || (first >= marker.list8 && first <= marker.list32)) {
    const length = cursor.list()
    if (length > mostElements) throw malformed('a list is longer than any id')
    return Array.from({ length }, () => decodeElement(cursor, unpack))
  }
  if (first >= 0xb0 && first < 0xc0) return decodeStructure(cursor, unpack)
  switch (first) {
    case marker.null:
      cursor.at++
      return null
    case marker.true:
    case marker.false:
      return cursor.boolean()
    case marker.float:
      return cursor.float()
    case marker.uuid:
      return decodeStructure(cursor, unpack)
    default: {
      const start = cursor.at
      cursor.skip()
      const isBytes = first >= marker.bytes8 && first <= marker.bytes32
      return isBytes ? new Int8Array(cursor.bytes.subarray(start + 1 + (1 << (first - marker.bytes8)), cursor.at)) : {}
    }
  }
}

/** Reads a list in a list as an empty list, because no database stores one. */
function decodeElement(cursor: Cursor, unpack: Unpack): unknown {
  const first = cursor.peek()
  if ((first >= 0x90 && first < 0xa0) || (first >= marker.list8 && first <= marker.list32)) {
    cursor.skip()
    return []
  }
  return decode(cursor, unpack)
}

function decodeStructure(cursor: Cursor, unpack: Unpack): unknown {
  const start = cursor.at
  if (cursor.skip() > mostValues) return {}
  const bytes = Buffer.from(cursor.bytes.subarray(start, cursor.at))
  try {
    return bytes[1] === tag.zonedWithOffset ? decodeZoned(cursor, start, bytes, unpack) : unpack(bytes)
  } catch {
    throw malformed('a structure is not one of Neo4j')
  }
}

function decodeZoned(cursor: Cursor, start: number, bytes: Buffer, unpack: Unpack): unknown {
  const end = cursor.at
  cursor.at = start + 2
  for (let field = 0; field < 3; field++) cursor.skip()
  const local = Buffer.from(bytes.subarray(0, cursor.at - start))
  const offset = cursor.bigint()
  cursor.at = end
  local.set([0xb3, tag.zonedAtLocal])
  const { year, month, day, hour, minute, second, nanosecond, timeZoneId } = unpack(local) as DateTime<bigint>
  return new neo4j.types.DateTime(year, month, day, hour, minute, second, nanosecond, offset, timeZoneId)
}
