import neo4j, { type DateTime } from 'neo4j-driver'
import { type Cursor, type, types } from './cursor.ts'
import { tag } from './kinds.ts'

/** Decodes one value as the driver of a connection does. */
export type Unpack = (bytes: Buffer) => unknown

/** Values of a structure. Beyond this limit the service reads an empty object. No structure of Neo4j has more. */
const mostValues = 100
/**
 * Elements of a list that the service decodes, such as an id. Beyond this limit the publish fails with
 * `502 originBroke`. An element of one byte becomes an object.
 */
const mostElements = 1_000_000

/**
 * Reads a value as the driver does, with integers as BigInt, where the code needs the value itself: for parameters of
 * queries, names of types and searches by id. Returns every map as an empty object.
 */
export function decode(cursor: Cursor, unpack: Unpack): unknown {
  switch (types[cursor.peek()]) {
    case type.tinyInteger:
    case type.integer:
      return cursor.bigint()
    case type.float:
      return cursor.float()
    case type.boolean:
      return cursor.boolean()
    case type.string:
      return cursor.text()
    case type.list: {
      const length = cursor.list()
      if (length > mostElements) throw cursor.peer.malformed('a list is longer than any id')
      return Array.from({ length }, () => decodeElement(cursor, unpack))
    }
    case type.structure:
    case type.uuid:
      return decodeStructure(cursor, unpack)
    default:
      return decodeOther(cursor)
  }
}

/** Reads a list in a list as an empty list, because no database stores one. */
function decodeElement(cursor: Cursor, unpack: Unpack): unknown {
  if (types[cursor.peek()] !== type.list) return decode(cursor, unpack)
  cursor.skip()
  return []
}

function decodeOther(cursor: Cursor): unknown {
  const { at: start, bytes } = cursor
  const first = cursor.peek()
  cursor.skip()
  if (types[first] === type.null) return null
  return types[first] === type.bytes ? new Int8Array(bytes.subarray(start + 1 + (1 << (first & 3)), cursor.at)) : {}
}

function decodeStructure(cursor: Cursor, unpack: Unpack): unknown {
  const start = cursor.at
  if (cursor.skip() > mostValues) return {}
  const bytes = Buffer.from(cursor.bytes.subarray(start, cursor.at))
  try {
    return bytes[1] === tag.zonedWithOffset ? decodeZoned(cursor, start, bytes, unpack) : unpack(bytes)
  } catch {
    throw cursor.peer.malformed('a structure is not one of Neo4j')
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
