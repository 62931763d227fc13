import neo4j, { type DateTime, type Integer, type Vector } from 'neo4j-driver'
import {
  combined,
  isPublishable,
  isVector,
  type Kind,
  kind,
  kindOfInstant,
  list,
  tag,
  vectors,
} from '../packstream/kinds.ts'
import { bytesOf } from '../packstream/vectors.ts'
import { expressionOf } from './expressions.ts'
import { type CursorAtValue, textOfValue } from './value-text.ts'
import type { Numbers, Rendered } from './values.ts'

/** Any of the driver's integer types: BigInt, Integer or number, depending on its configuration. */
type Whole = bigint | number | Integer

/** What an origin would send of a value: its kind, the tag of its structure, if it is one, and its fields. */
type Parts = [of: Kind, tag: number, ...fields: unknown[]]

/**
 * Renders a value as the driver reads it (integers as BigInt, floats as number), by the table of contract 5.
 * @returns null for values without a rendering (byte arrays, lists with vectors, points with a coordinate that is not
 * finite, datetimes that Cypher would read back as other datetimes, types of later versions).
 */
export function renderValue(value: unknown, numbers: Numbers = 'plain'): Rendered | null {
  if (Array.isArray(value)) return renderList(value.map(partsOf), numbers)
  const parts = partsOf(value)
  const [of] = parts
  return isPublishable(of) ? { json: jsonOf(parts, of, numbers, false), ...expressionOf(of, numbers) } : null
}

function renderList(elements: readonly Parts[], numbers: Numbers): Rendered | null {
  // One expression converts all elements: if any is given by its fields instead of as text, all must be.
  const of = elements.length === 0 ? kind.absent : elements.map(([one]) => one).reduce(combined)
  if (!isPublishable(of) || isVector(of) || (of === kind.dateTimeByFields && elements.some(isTooFar))) return null
  const texts = elements.map((one) => jsonOf(one, of, numbers, numbers === 'strict'))
  return { json: `[${texts.join(',')}]`, ...expressionOf(list + of, numbers) }
}

const isTooFar = ([, , seconds, ...others]: Parts) =>
  kindOfInstant((seconds as bigint) - (others.at(-1) as bigint)) === kind.farDateTime

function jsonOf([, first, ...fields]: Parts, of: Kind, numbers: Numbers, allByFields: boolean): string {
  if (of === kind.string) return JSON.stringify(fields[0])
  return of === kind.safeInteger ? String(fields[0]) : textOfValue(cursorAt(first, fields), of, numbers, allByFields)
}

function cursorAt(first: number, fields: readonly unknown[]): CursorAtValue {
  let at = 0
  const next = <T>() => fields[at++] as T
  return {
    peek: () => fields.length,
    structure: () => first,
    integer: () => Number(next<bigint>()),
    uuid: next<Buffer>,
    binary: next<Buffer>,
    whole: next<bigint>,
    bigint: next<bigint>,
    float: next<number>,
    boolean: next<boolean>,
    text: next<string>,
  }
}

function partsOf(value: unknown): Parts {
  switch (typeof value) {
    case 'string':
      return [kind.string, 0, value]
    case 'boolean':
      return [kind.boolean, 0, value]
    case 'bigint':
      return [Number.isSafeInteger(Number(value)) ? kind.safeInteger : kind.largeInteger, 0, value]
    case 'number':
      return [Number.isFinite(value) ? kind.float : kind.oddFloat, 0, value]
    default:
      return isUndecodable(value) ? [kind.other, 0] : structureOf(value as object)
  }
}

function structureOf(value: object): Parts {
  if (neo4j.isDate(value)) return [kind.date, tag.date, days(value)]
  if (neo4j.isLocalTime(value)) return [kind.localTime, tag.localTime, nanoseconds(value)]
  if (neo4j.isTime(value)) {
    const offset = whole(value.timeZoneOffsetSeconds)
    return [offset % 60n === 0n ? kind.time : kind.timeByFields, tag.time, nanoseconds(value), offset]
  }
  if (neo4j.isLocalDateTime(value)) {
    return [kind.localDateTime, tag.localDateTime, seconds(value), whole(value.nanosecond)]
  }
  if (neo4j.isDateTime(value)) return partsOfDateTime(value)
  if (neo4j.isDuration(value)) {
    return [kind.duration, tag.duration, ...[value.months, value.days, value.seconds, value.nanoseconds].map(whole)]
  }
  if (neo4j.isUUID(value)) return [kind.uuid, 0, value.getTypedArray()]
  if (neo4j.isVector(value)) return partsOfVector(value)
  if (!neo4j.isPoint(value)) return [kind.other, 0]
  const axes = [value.x, value.y, ...(value.z === undefined || value.z === null ? [] : [value.z])]
  const of = !axes.every(Number.isFinite) ? kind.oddPoint : axes.length === 3 ? kind.pointInSpace : kind.point
  return [of, tag.point, whole(value.srid), ...axes]
}

const typeBytes = { INT8: 0xc8, INT16: 0xc9, INT32: 0xca, INT64: 0xcb, FLOAT32: 0xc6, FLOAT64: 0xc1 } as const

function partsOfVector(
  value: Vector<BigInt64Array | Float32Array | Float64Array | Int8Array | Int16Array | Int32Array>,
): Parts {
  const type = typeBytes[value.getType()]
  const of = vectors[type] as Kind
  const elements = value.asTypedArray()
  const bytes = Buffer.from(new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength))
  const size = bytesOf(of)
  // Bolt sends the most significant byte first.
  if (size > 1) bytes[`swap${(8 * size) as 16 | 32 | 64}`]()
  const areFinite = [...elements].every((element) => Number.isFinite(Number(element)))
  return [areFinite ? of : kind.other, tag.vector, Buffer.of(type), bytes]
}

function partsOfDateTime(value: DateTime<Whole>): Parts {
  const { timeZoneId: zone, timeZoneOffsetSeconds } = value
  if (timeZoneOffsetSeconds === undefined || timeZoneOffsetSeconds === null) return [kind.zonedAtLocal, 0]
  const [local, offset, nanosecond] = [seconds(value), whole(timeZoneOffsetSeconds), whole(value.nanosecond)]
  const of = zone || offset % 60n !== 0n ? kindOfInstant(local - offset) : kind.dateTime
  return zone
    ? [of, tag.zonedWithOffset, local, nanosecond, zone, offset]
    : [of, tag.dateTimeAtLocal, local, nanosecond, offset]
}

export const whole = (value: Whole) => BigInt(String(value))

type DateFields = Record<'year' | 'month' | 'day', Whole>
type TimeFields = Record<'hour' | 'minute' | 'second' | 'nanosecond', Whole>

/** Days from 1970-01-01, in the proleptic Gregorian calendar. */
function days({ year, month, day }: DateFields): bigint {
  const [y, m, d] = [whole(year), whole(month), whole(day)]
  // Years that start in March put the leap day last, so month offsets are fixed; all 400-year eras are equally long.
  const shifted = m <= 2n ? y - 1n : y
  const era = (shifted >= 0n ? shifted : shifted - 399n) / 400n
  const yearOfEra = shifted - era * 400n
  const dayOfYear = (153n * (m + (m > 2n ? -3n : 9n)) + 2n) / 5n + d - 1n
  return era * 146_097n + yearOfEra * 365n + yearOfEra / 4n - yearOfEra / 100n + dayOfYear - 719_468n
}

const secondOfDay = ({ hour, minute, second }: TimeFields) => (whole(hour) * 60n + whole(minute)) * 60n + whole(second)
const nanoseconds = (time: TimeFields) => secondOfDay(time) * 1_000_000_000n + whole(time.nanosecond)
export const seconds = (at: DateFields & TimeFields) => days(at) * 86_400n + secondOfDay(at)

/** A value that the driver cannot decode (a zoned datetime without a known offset) throws on every access. */
export function isUndecodable(value: unknown): boolean {
  try {
    neo4j.isDate(value as object)
    return false
  } catch {
    return true
  }
}

/** Describes the type of a value that cannot be published, for an error message. */
export function typeName(value: unknown): string {
  if (isUndecodable(value)) return 'zoned datetime of a year or zone that the driver does not know'
  if (value instanceof Int8Array || value instanceof Uint8Array) return 'byte array'
  if (Array.isArray(value)) return `list with a ${typeName(value.find((element) => renderValue(element) === null))}`
  if (neo4j.isPoint(value as object)) return 'point with a coordinate that is not finite'
  if (neo4j.isDateTime(value as object)) {
    return 'datetime in a named zone or at an offset with seconds, more than 292 million years away'
  }
  return value === null || value === undefined ? 'null' : (Object(value).constructor?.name ?? 'unknown').toLowerCase()
}
