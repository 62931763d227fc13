import neo4j, {
  type DateTime,
  type Duration,
  type Date as GraphDate,
  type Integer,
  type LocalDateTime,
  type LocalTime,
  type Point,
  type Time,
} from 'neo4j-driver'
import { isUndecodable } from '../../../packet/values/render-value.ts'
import { floatText, type Numbers, type Rendered, type Wrap, wholeText } from '../../../packet/values/values.ts'

const plain = (json: string): Rendered => ({ json, wrap: null, list: false })
const wrapped = (wrap: Wrap, json: string): Rendered => ({ json, wrap, list: false })

/**
 * Renders a stored value of the origin, as the driver reads it (integers as BigInt, floats as number), by the table of
 * contract 5. Never calls `JSON.stringify` on a number, which would lose 1.0, -0.0 and 2^53+1.
 * @returns null for values without a rendering (byte arrays, vectors, UUIDs, points with a coordinate that is not
 * finite, datetimes that Cypher would read back as other datetimes, types of later versions).
 */
export function referenceOf(value: unknown, numbers: Numbers = 'plain'): Rendered | null {
  switch (typeof value) {
    case 'string':
      return plain(JSON.stringify(value))
    case 'boolean':
      return plain(value ? 'true' : 'false')
    case 'bigint':
      return renderInteger(value, numbers)
    case 'number':
      return renderFloat(value, numbers)
    default:
      return Array.isArray(value) ? renderList(value, numbers) : renderStructure(value, numbers)
  }
}

const isSafe = (value: bigint) => Number.isSafeInteger(Number(value))

function renderInteger(value: bigint, numbers: Numbers): Rendered {
  return numbers === 'strict' || !isSafe(value) ? wrapped('toInteger', wholeText(value)) : plain(wholeText(value))
}

function renderFloat(value: number, numbers: Numbers): Rendered {
  if (!Number.isFinite(value)) return wrapped('toFloat', `"${value}"`)
  return numbers === 'strict' ? wrapped('toFloat', floatText(value)) : plain(floatText(value))
}

function renderList(values: readonly unknown[], numbers: Numbers): Rendered | null {
  const elements = values.map((value) => referenceOf(value, numbers))
  // One expression converts all elements: if any is given by its fields instead of as text, all must be.
  const areByFields = elements.some(
    (element) => element?.wrap === 'timeByFields' || element?.wrap === 'datetimeByFields',
  )
  let wrap: Wrap | null = null
  const texts: string[] = []
  for (const [index, element] of elements.entries()) {
    const own = areByFields ? timeByFields(values[index]) : element
    if (own === null || own.list) return null
    wrap ??= own.wrap
    texts.push(own.json)
  }
  return { json: `[${texts.join(',')}]`, wrap, list: true }
}

const isTooFar = (value: unknown) => neo4j.isDateTime(value as DateTime) && isTooFarForFields(value as DateTime)

/** A time or datetime given by its fields, whose numbers the statement converts. */
function timeByFields(value: unknown): Rendered | null {
  if (neo4j.isTime(value as Time)) return wrapped('timeByFields', timeFields(value as Time))
  if (isTooFar(value)) return null
  if (neo4j.isDateTime(value as DateTime))
    return wrapped('datetimeByFields', dateTimeFields(value as DateTime, wholeText))
  return null
}

function renderStructure(value: unknown, numbers: Numbers): Rendered | null {
  if (isUndecodable(value)) return null
  if (neo4j.isDate(value)) return wrapped('date', renderDate(value))
  if (neo4j.isLocalTime(value)) return wrapped('localtime', renderLocalTime(value))
  if (neo4j.isLocalDateTime(value)) return wrapped('localdatetime', renderLocalDateTime(value))
  if (neo4j.isDuration(value)) {
    return numbers === 'plain'
      ? wrapped('duration', renderDuration(value))
      : wrapped('durationByFields', renderDuration(value, wholeText))
  }
  if (neo4j.isPoint(value)) return renderPoint(value, numbers)
  const isTime = neo4j.isTime(value)
  if (!isTime && (!neo4j.isDateTime(value) || (isByFields(value) && isTooFar(value)))) return null
  if (numbers === 'strict' && isByFields(value)) return timeByFields(value)
  return isTime ? wrapped('time', renderTime(value)) : wrapped('datetime', renderDateTime(value))
}

function renderPoint({ srid, x, y, z }: Point, numbers: Numbers): Rendered | null {
  const isInSpace = z !== undefined && z !== null
  const coordinates = isInSpace ? { x, y, z } : { x, y }
  if (!Object.values(coordinates).every(Number.isFinite)) return null
  const texts = Object.entries(coordinates).map(([axis, at]) => `"${axis}":${floatText(at)}`)
  const json = `{"srid":${srid},${texts.join(',')}}`
  if (numbers === 'plain') return wrapped('point', json)
  return wrapped(isInSpace ? 'pointInSpaceByFields' : 'pointByFields', json)
}

/** Any of the driver's integer types: BigInt, Integer or number, depending on its configuration. */
type Whole = bigint | number | Integer

const pad = (value: Whole, width = 2) => String(value).padStart(width, '0')
const quoted = (text: string) => `"${text}"`

/** ISO 8601; years outside 0 to 9999 carry a sign, as Cypher requires. */
function dateText({ year, month, day }: { year: Whole; month: Whole; day: Whole }): string {
  const number = BigInt(String(year))
  const digits = pad(number < 0n ? -number : number, 4)
  const sign = number < 0n ? '-' : number > 9_999n ? '+' : ''
  return `${sign}${digits}-${pad(month)}-${pad(day)}`
}

function timeText({
  hour,
  minute,
  second,
  nanosecond,
}: {
  hour: Whole
  minute: Whole
  second: Whole
  nanosecond: Whole
}) {
  let fraction = pad(nanosecond, 9)
  while (fraction.endsWith('0')) fraction = fraction.slice(0, -1)
  return `${pad(hour)}:${pad(minute)}:${pad(second)}${fraction === '' ? '' : `.${fraction}`}`
}

/** `+HH:MM`, with seconds only if they are not zero, as in old local mean times. */
function offsetText(offsetSeconds: number): string {
  const size = Math.abs(offsetSeconds)
  const seconds = size % 60
  const text = `${pad(Math.floor(size / 3_600))}:${pad(Math.floor(size / 60) % 60)}${seconds === 0 ? '' : `:${pad(seconds)}`}`
  return `${offsetSeconds < 0 ? '-' : '+'}${text}`
}

const renderDate = (value: GraphDate<Whole>): string => quoted(dateText(value))
const renderLocalTime = (value: LocalTime<Whole>): string => quoted(timeText(value))
const renderLocalDateTime = (value: LocalDateTime<Whole>): string => quoted(`${dateText(value)}T${timeText(value)}`)

/** Cypher cannot parse a text whose offset has seconds, as old local mean times have. */
const hasOffsetSeconds = ({ timeZoneOffsetSeconds }: { timeZoneOffsetSeconds?: Whole }): boolean =>
  Number(timeZoneOffsetSeconds) % 60 !== 0

/**
 * Whether the value must be given by its fields instead of as text. A named zone's offset depends on the age of the
 * time-zone data, and a database refuses a text whose offset differs from its own; an instant and a zone do not depend
 * on that data.
 */
const isByFields = (value: Time<Whole> | DateTime<Whole>): boolean =>
  hasOffsetSeconds(value) || ('timeZoneId' in value && Boolean(value.timeZoneId))

/** ISO 8601, or the fields if the offset has seconds. Contract 5, values. */
const renderTime = (value: Time<Whole>): string =>
  isByFields(value) ? timeFields(value) : quoted(timeText(value) + offsetText(Number(value.timeZoneOffsetSeconds)))

function timeFields({ hour, minute, second, nanosecond, timeZoneOffsetSeconds }: Time<Whole>): string {
  const numbers = `"hour":${hour},"minute":${minute},"second":${second},"nanosecond":${nanosecond}`
  return `{${numbers},"timezone":"${offsetText(Number(timeZoneOffsetSeconds))}"}`
}

/**
 * ISO 8601 with offset; for a named zone, or an offset with seconds, the instant and that zone or offset. The caller
 * must first add the offset to a zoned value without one (Bolt 3). Contract 5, values.
 */
function renderDateTime(value: DateTime<Whole>): string {
  if (isByFields(value)) return dateTimeFields(value)
  return quoted(`${dateText(value)}T${timeText(value)}${offsetText(Number(value.timeZoneOffsetSeconds))}`)
}

/** Cypher counts an instant's milliseconds in 64 bits: beyond that it would silently read back as another instant. */
const isTooFarForFields = (value: DateTime<Whole>): boolean =>
  BigInt.asIntN(64, instantOf(value) * 1_000n) !== instantOf(value) * 1_000n

/** The instant with its zone, or with its offset if it has no zone. */
function dateTimeFields(value: DateTime<Whole>, whole: (number: bigint) => string = String): string {
  const zone = value.timeZoneId || offsetText(Number(value.timeZoneOffsetSeconds))
  return `{"epochSeconds":${whole(instantOf(value))},"nanosecond":${value.nanosecond},"timezone":"${zone}"}`
}

const instantOf = (value: DateTime<Whole>) => epochSeconds(value) - BigInt(String(value.timeZoneOffsetSeconds))

/** Seconds from 1970-01-01T00:00 to a local datetime, in the proleptic Gregorian calendar. */
function epochSeconds({ year, month, day, hour, minute, second }: DateTime<Whole>): bigint {
  const [y, m, d] = [BigInt(String(year)), BigInt(String(month)), BigInt(String(day))]
  // Years that start in March put the leap day last, so month offsets are fixed; all 400-year eras are equally long.
  const shifted = m <= 2n ? y - 1n : y
  const era = (shifted >= 0n ? shifted : shifted - 399n) / 400n
  const yearOfEra = shifted - era * 400n
  const dayOfYear = (153n * (m + (m > 2n ? -3n : 9n)) + 2n) / 5n + d - 1n
  const days = era * 146_097n + yearOfEra * 365n + yearOfEra / 4n - yearOfEra / 100n + dayOfYear - 719_468n
  return days * 86_400n + BigInt(String(hour)) * 3_600n + BigInt(String(minute)) * 60n + BigInt(String(second))
}

/** `whole` formats each number, which may need 64 bits. */
function renderDuration(
  { months, days, seconds, nanoseconds }: Duration<Whole>,
  whole: (number: bigint) => string = String,
): string {
  const fields = Object.entries({ months, days, seconds, nanoseconds })
  return `{${fields.map(([name, number]) => `"${name}":${whole(BigInt(String(number)))}`).join(',')}}`
}
