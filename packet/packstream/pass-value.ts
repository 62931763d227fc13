import { type Cursor, type Peer, type, types } from './cursor.ts'
import {
  combined,
  emptyList,
  isVector,
  type Kind,
  kind,
  kindOfInstant,
  list,
  mostSeconds,
  tag,
  vectors,
} from './kinds.ts'
import { bytesOf, elementsOf, isFloatVector } from './vectors.ts'

/** Moves past a value. @returns its kind. @throws if it is malformed, as the cursor does */
export function passValue(cursor: Cursor): Kind {
  const first = cursor.peek()
  switch (types[first]) {
    case type.tinyInteger:
      cursor.at++
      return kind.safeInteger
    case type.string:
      cursor.string()
      return kind.string
    case type.list:
      return passList(cursor)
    case type.structure:
      return passStructure(cursor, first & 0x0f)
    case type.null:
      cursor.at++
      return kind.absent
    case type.boolean:
      cursor.at++
      return kind.boolean
    case type.float:
      return Number.isFinite(cursor.float()) ? kind.float : kind.oddFloat
    case type.integer:
      return Number.isSafeInteger(cursor.integer()) ? kind.safeInteger : kind.largeInteger
    case type.uuid:
      cursor.uuid()
      return kind.uuid
    default:
      cursor.skip()
      return kind.other
  }
}

function passList(cursor: Cursor): Kind {
  const count = cursor.list()
  if (count === 0) return emptyList
  const { at } = cursor
  let all = elementOf(cursor)
  let isMixed = false
  for (let index = 1; index < count; index++) {
    const one = elementOf(cursor)
    if (one === all) continue
    isMixed = true
    all = combined(all, one)
  }
  return list + (isMixed && all === kind.dateTimeByFields ? kindAsInstants(cursor, at, count) : all)
}

/** The kind of an element. No database stores null, a list or a vector in a list. */
function elementOf(cursor: Cursor): Kind {
  const first = types[cursor.peek()]
  if (first === type.null || first === type.list) {
    cursor.skip()
    return kind.other
  }
  const of = passValue(cursor)
  return isVector(of) ? kind.other : of
}

function passStructure(cursor: Cursor, fields: number): Kind {
  const start = cursor.at
  switch (cursor.structure(fields)) {
    case tag.date:
      return integers(cursor, fields, 1, kind.date)
    case tag.localTime:
      return integers(cursor, fields, 1, kind.localTime)
    case tag.localDateTime:
      return integers(cursor, fields, 2, kind.localDateTime)
    case tag.duration:
      return integers(cursor, fields, 4, kind.duration)
    case tag.time: {
      demand(cursor, fields, 2)
      cursor.integer()
      return cursor.integer() % 60 === 0 ? kind.time : kind.timeByFields
    }
    case tag.dateTimeAtLocal:
      return passDateTime(cursor, fields, true)
    case tag.dateTime:
      return passDateTime(cursor, fields, false)
    case tag.zoned: {
      demand(cursor, fields, 3)
      const milliseconds = cursor.integer() * 1_000 + Math.floor(cursor.integer() / 1_000_000)
      return isReadable(milliseconds, cursor.text(), cursor.peer) ? kind.dateTimeByFields : kind.other
    }
    case tag.zonedAtLocal:
      demand(cursor, fields, 3)
      cursor.integer()
      cursor.integer()
      cursor.string()
      return kind.zonedAtLocal
    case tag.zonedWithOffset:
      demand(cursor, fields, 4)
      return passZonedWithOffset(cursor)
    case tag.point:
      return passPoint(cursor, fields, 2, kind.point)
    case tag.pointInSpace:
      return passPoint(cursor, fields, 3, kind.pointInSpace)
    case tag.vector:
      demand(cursor, fields, 2)
      return passVector(cursor)
    default:
      cursor.at = start
      cursor.skip()
      return kind.other
  }
}

function demand({ peer }: Cursor, fields: number, expected: number) {
  if (fields !== expected) throw peer.malformed('a structure has another size')
}

function integers(cursor: Cursor, fields: number, expected: number, of: Kind): Kind {
  demand(cursor, fields, expected)
  for (let index = 0; index < expected; index++) cursor.integer()
  return of
}

/** Passes a datetime with an offset. If the offset has seconds, the packet gives the datetime as an instant. */
function passDateTime(cursor: Cursor, fields: number, isLocal: boolean): Kind {
  demand(cursor, fields, 3)
  const start = cursor.at
  cursor.integer()
  cursor.integer()
  const offset = cursor.integer()
  if (offset % 60 === 0) return kind.dateTime
  const { at } = cursor
  cursor.at = start
  const instant = cursor.bigint() - (isLocal ? BigInt(offset) : 0n)
  cursor.at = at
  return kindOfInstant(instant)
}

function passZonedWithOffset(cursor: Cursor): Kind {
  const local = cursor.bigint()
  cursor.integer()
  cursor.string()
  return kindOfInstant(local - cursor.bigint())
}

const day = 86_400n

/**
 * The kind of a list of datetimes. One of them is given as an instant, so all are. Offsets of up to a day are not taken
 * into account, so datetimes within a day of the limit are not published.
 */
function kindAsInstants(cursor: Cursor, start: number, count: number): Kind {
  const end = cursor.at
  let all: Kind = kind.dateTimeByFields
  cursor.at = start
  for (let index = 0; index < count; index++) {
    const { at } = cursor
    cursor.structure(cursor.peek() & 0x0f)
    const seconds = cursor.bigint()
    if (seconds > mostSeconds - day || seconds < day - mostSeconds) all = kind.farDateTime
    cursor.at = at
    cursor.skip()
  }
  cursor.at = end
  return all
}

function passPoint(cursor: Cursor, fields: number, axes: number, of: Kind): Kind {
  demand(cursor, fields, axes + 1)
  cursor.integer()
  let found = of
  for (let axis = 0; axis < axes; axis++) if (!Number.isFinite(cursor.float())) found = kind.oddPoint
  return found
}

/** No database stores a vector with NaN or an infinite element. */
function passVector(cursor: Cursor): Kind {
  const type = cursor.binary()
  const of = (type.length === 1 && vectors[type[0] as number]) || kind.other
  const bytes = cursor.binary()
  if (of === kind.other) return of
  if (bytes.length % bytesOf(of) !== 0) throw cursor.peer.malformed('a vector ends inside an element')
  return isFloatVector(of) && elementsOf(of, bytes).some((element) => !Number.isFinite(element)) ? kind.other : of
}

/**
 * Distance from 1970 of a datetime with a named zone. Beyond this limit the value is unpublishable. It is the limit of
 * JavaScript's dates.
 */
const mostMilliseconds = 8.64e15
/** Characters of the name of a time zone. Beyond this limit the value is unpublishable. No zone has a longer name. */
const longestZone = 100
const zonesKept = 1_000
const knownZones = new Map<string, boolean>()

/** Whether the driver can read a zoned datetime, which is necessary to compare a target with a packet. */
function isReadable(milliseconds: number, zone: string, peer: Peer): boolean {
  if (Math.abs(milliseconds) > mostMilliseconds || zone.length > longestZone) return false
  const known = knownZones.get(zone) ?? isZone(zone, peer)
  if (knownZones.size >= zonesKept) knownZones.clear()
  knownZones.set(zone, known)
  return known
}

/**
 * Zone names that one process checks in a second for one tenant. Beyond this limit the publish fails with
 * `502 originBroke`. A check takes about 50 microseconds, and there are about 600 zones.
 */
const mostZonesASecond = 1_000
let countedSince = 0
const zonesTried = new Map<string, number>()

function isZone(timeZone: string, peer: Peer): boolean {
  const now = performance.now()
  if (now - countedSince > 1_000) {
    countedSince = now
    zonesTried.clear()
  }
  const tenant = peer.tenant()
  const tried = (zonesTried.get(tenant) ?? 0) + 1
  if (tried > mostZonesASecond) throw peer.malformed('datetimes are in more zones than there are')
  zonesTried.set(tenant, tried)
  try {
    new Intl.DateTimeFormat('en-US', { timeZone })
    return true
  } catch {
    return false
  }
}
