import type { Cursor } from '../packstream/cursor.ts'
import { isVector, type Kind, kind, tag } from '../packstream/kinds.ts'
import { elementsOf, isFloatVector } from '../packstream/vectors.ts'
import { dayText, momentText, offsetText, timeText } from './times.ts'
import { floatText, type Numbers, wholeText } from './values.ts'

/** The methods of a cursor that read these values. */
export type CursorAtValue = Pick<
  Cursor,
  'bigint' | 'binary' | 'boolean' | 'float' | 'integer' | 'peek' | 'structure' | 'text' | 'uuid' | 'whole'
>

/**
 * The JSON of the next value, which is of this kind, publishable, and neither a string nor a small integer; moves past
 * it. `allByFields`: it is in a list of times or datetimes, and all must be given by fields if one must.
 */
export function textOfValue(cursor: CursorAtValue, of: Kind, numbers: Numbers, allByFields: boolean): string {
  switch (of) {
    case kind.largeInteger:
      return wholeText(cursor.bigint())
    case kind.float:
      return floatText(cursor.float())
    case kind.oddFloat: {
      const value = cursor.float()
      return Number.isFinite(value) ? floatText(value) : `"${value}"`
    }
    case kind.boolean:
      return cursor.boolean() ? 'true' : 'false'
    case kind.date:
      cursor.structure(1)
      return `"${dayText(cursor.integer())}"`
    case kind.localTime:
      cursor.structure(1)
      return `"${timeOfDay(cursor.integer())}"`
    case kind.localDateTime:
      cursor.structure(2)
      return `"${momentText(cursor.whole(), cursor.integer())}"`
    case kind.time:
    case kind.timeByFields:
      return time(cursor, allByFields && of === kind.timeByFields)
    case kind.dateTime:
    case kind.dateTimeByFields:
      return dateTime(cursor, numbers, allByFields && of === kind.dateTimeByFields)
    case kind.duration:
      return duration(cursor, numbers)
    case kind.uuid:
      return `"${uuidText(cursor.uuid())}"`
    default:
      return isVector(of) ? vector(cursor, of) : point(cursor, of === kind.point ? 'xy' : 'xyz')
  }
}

const timeOfDay = (nanoseconds: number) => timeText(Math.floor(nanoseconds / 1e9), nanoseconds % 1e9)

function time(cursor: CursorAtValue, isByFields: boolean): string {
  cursor.structure(2)
  const nanoseconds = cursor.integer()
  const offset = cursor.integer()
  if (!isByFields && offset % 60 === 0) return `"${timeOfDay(nanoseconds)}${offsetText(offset)}"`
  const second = Math.floor(nanoseconds / 1e9)
  return JSON.stringify({
    hour: Math.floor(second / 3_600),
    minute: Math.floor(second / 60) % 60,
    second: second % 60,
    nanosecond: nanoseconds % 1e9,
    timezone: offsetText(offset),
  })
}

function dateTime(cursor: CursorAtValue, numbers: Numbers, isByFields: boolean): string {
  const of = cursor.structure(cursor.peek() & 0x0f)
  const seconds = cursor.whole()
  const nanoseconds = cursor.integer()
  if (of === tag.zoned) return instant(seconds, nanoseconds, cursor.text(), numbers)
  const zone = of === tag.zonedWithOffset ? cursor.text() : null
  const offset = cursor.integer()
  const isText = zone === null && !isByFields && offset % 60 === 0
  if (isText)
    return `"${momentText(of === tag.dateTime ? plus(seconds, offset) : seconds, nanoseconds)}${offsetText(offset)}"`
  const utc = of === tag.dateTime ? seconds : plus(seconds, -offset)
  return instant(utc, nanoseconds, zone ?? offsetText(offset), numbers)
}

function plus(seconds: number | bigint, offset: number): number | bigint {
  const sum = Number(seconds) + offset
  return typeof seconds === 'number' && Number.isSafeInteger(sum) ? sum : BigInt(seconds) + BigInt(offset)
}

/** An instant in a zone, or at an offset: a text would depend on the age of time-zone data. */
function instant(seconds: number | bigint, nanoseconds: number, zone: string, numbers: Numbers): string {
  return `{"epochSeconds":${wholeOf(numbers)(seconds)},"nanosecond":${nanoseconds},"timezone":${JSON.stringify(zone)}}`
}

// A statement that converts every number takes the large ones as strings.
const wholeOf = (numbers: Numbers) => (numbers === 'strict' ? wholeText : String)

function duration(cursor: CursorAtValue, numbers: Numbers): string {
  cursor.structure(4)
  const next = () => wholeOf(numbers)(cursor.whole())
  return `{"months":${next()},"days":${next()},"seconds":${next()},"nanoseconds":${next()}}`
}

function point(cursor: CursorAtValue, axes: string): string {
  cursor.structure(1 + axes.length)
  const srid = cursor.integer()
  const coordinates = [...axes].map((axis) => `,"${axis}":${floatText(cursor.float())}`)
  return `{"srid":${srid}${coordinates.join('')}}`
}

const uuidText = (bytes: Uint8Array) =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

function vector(cursor: CursorAtValue, of: Kind): string {
  cursor.structure(2)
  cursor.binary()
  const text = isFloatVector(of) ? (element: number | bigint) => floatText(Number(element)) : wholeText
  return `[${elementsOf(of, cursor.binary()).map(text).join(',')}]`
}
