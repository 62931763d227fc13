import type { DateTime, Duration, Date as GraphDate, Integer, LocalDateTime, LocalTime, Time } from 'neo4j-driver'

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
export function offsetText(offsetSeconds: number): string {
  const size = Math.abs(offsetSeconds)
  const seconds = size % 60
  const text = `${pad(Math.floor(size / 3_600))}:${pad(Math.floor(size / 60) % 60)}${seconds === 0 ? '' : `:${pad(seconds)}`}`
  return `${offsetSeconds < 0 ? '-' : '+'}${text}`
}

export const renderDate = (value: GraphDate<Whole>): string => quoted(dateText(value))
export const renderLocalTime = (value: LocalTime<Whole>): string => quoted(timeText(value))
export const renderLocalDateTime = (value: LocalDateTime<Whole>): string =>
  quoted(`${dateText(value)}T${timeText(value)}`)

/** Cypher cannot parse a text whose offset has seconds, as old local mean times have. */
const hasOffsetSeconds = ({ timeZoneOffsetSeconds }: { timeZoneOffsetSeconds?: Whole }): boolean =>
  Number(timeZoneOffsetSeconds) % 60 !== 0

/**
 * Whether the value must be given by its fields instead of as text. A named zone's offset depends on the age of the
 * time-zone data, and a database refuses a text whose offset differs from its own; an instant and a zone do not depend
 * on that data.
 */
export const isByFields = (value: Time<Whole> | DateTime<Whole>): boolean =>
  hasOffsetSeconds(value) || ('timeZoneId' in value && Boolean(value.timeZoneId))

/** ISO 8601, or the fields if the offset has seconds. Contract 5, values. */
export const renderTime = (value: Time<Whole>): string =>
  isByFields(value) ? timeFields(value) : quoted(timeText(value) + offsetText(Number(value.timeZoneOffsetSeconds)))

export function timeFields({ hour, minute, second, nanosecond, timeZoneOffsetSeconds }: Time<Whole>): string {
  const numbers = `"hour":${hour},"minute":${minute},"second":${second},"nanosecond":${nanosecond}`
  return `{${numbers},"timezone":"${offsetText(Number(timeZoneOffsetSeconds))}"}`
}

/**
 * ISO 8601 with offset; for a named zone, or an offset with seconds, the instant and that zone or offset. The caller
 * must first add the offset to a zoned value without one (Bolt 3). Contract 5, values.
 */
export function renderDateTime(value: DateTime<Whole>): string {
  if (isByFields(value)) return dateTimeFields(value)
  return quoted(`${dateText(value)}T${timeText(value)}${offsetText(Number(value.timeZoneOffsetSeconds))}`)
}

/** Cypher counts an instant's milliseconds in 64 bits: beyond that it would silently read back as another instant. */
export const isTooFarForFields = (value: DateTime<Whole>): boolean =>
  BigInt.asIntN(64, instantOf(value) * 1_000n) !== instantOf(value) * 1_000n

/** The instant with its zone, or with its offset if it has no zone. */
export function dateTimeFields(value: DateTime<Whole>, whole: (number: bigint) => string = String): string {
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
export function renderDuration(
  { months, days, seconds, nanoseconds }: Duration<Whole>,
  whole: (number: bigint) => string = String,
): string {
  const fields = Object.entries({ months, days, seconds, nanoseconds })
  return `{${fields.map(([name, number]) => `"${name}":${whole(BigInt(String(number)))}`).join(',')}}`
}
