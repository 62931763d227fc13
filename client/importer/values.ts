import { momentText, offsetText, timeText } from '../../packet/values/times.ts'
import { floatText, type Rendered, type Wrap } from '../../packet/values/values.ts'
import { NotCarried } from './not-carried.ts'
import { isFirstOfLocal, offsetAt } from './zones.ts'

/** Releases of the importer that read some values differently. */
export const releases = ['5', '2026'] as const
export type Release = (typeof releases)[number]

export interface ValueSettings {
  release: Release
  /** Called for a datetime whose text omits its offset: the importer takes it from its own time-zone data. */
  onZoneData(): void
}

/**
 * Between the elements of a list, and between labels: a code point that Unicode reserves for the inner use of programs.
 * No label can hold a control character, but elements of lists do.
 */
export const arrayDelimiter = '\ufdd0'

const listOf = (type: string) => `${type}[]`

/** The type of a column by what restores a value's type in a statement. */
const typesOfWraps: Record<Wrap, string | null> = {
  toInteger: 'long',
  toFloat: 'double',
  date: 'date',
  localtime: 'localtime',
  time: 'time',
  localdatetime: 'localdatetime',
  datetime: 'datetime',
  duration: 'duration',
  point: 'point',
  pointByFields: 'point',
  pointInSpaceByFields: 'point',
  durationByFields: 'duration',
  timeByFields: 'time',
  datetimeByFields: 'datetime',
  uuid: null,
  vectorOfInteger8: null,
  vectorOfInteger16: null,
  vectorOfInteger32: null,
  vectorOfInteger64: null,
  vectorOfFloat32: null,
  vectorOfFloat64: null,
}

const typesOfJson: Record<string, string> = { string: 'string', boolean: 'boolean', bigint: 'long', number: 'double' }

/**
 * The type of the column that holds a value, such as `long` or `string[]`; null if there is no value.
 * @throws NotCarried
 */
export function columnType(value: unknown, { wrap, list }: Pick<Rendered, 'wrap' | 'list'>): string | null {
  if (value === null || value === undefined) return null
  if (wrap !== null) {
    const type = typesOfWraps[wrap]
    if (type === null) throw new NotCarried(wrap === 'uuid' ? 'a UUID' : 'a vector')
    if (list !== Array.isArray(value)) throw unexpected(type)
    if (!list) return type
    requireElements(value as unknown[])
    return listOf(type)
  }
  const type = typesOfJson[typeof value]
  if (type !== undefined) return type
  if (!Array.isArray(value)) throw new NotCarried('a map')
  requireElements(value)
  const elements = typesOfJson[typeof value[0]]
  if (elements === undefined || value.some((one) => typesOfJson[typeof one] !== elements))
    throw new NotCarried('a list of several types')
  return listOf(elements)
}

function requireElements(list: readonly unknown[]): void {
  // The importer makes neither a property, and says nothing.
  if (list.length === 0) throw new NotCarried('an empty list')
  if (list.length === 1 && list[0] === '') throw new NotCarried('a list with nothing but an empty string')
}

const unexpected = (type: string) => new NotCarried(`a ${type} that is not written as the service writes it`)

/** The cell of a value in a column of this type. @throws NotCarried */
export function cellOf(value: unknown, type: string, settings: ValueSettings): string {
  if (type === 'string') return quoted(value as string)
  if (!type.endsWith('[]'))
    return type === 'point' ? `"${textOf(value, type, settings)}"` : textOf(value, type, settings)
  const elements = value as readonly unknown[]
  const one = type.slice(0, -2)
  if (one !== 'string') return `"${elements.map((element) => textOf(element, one, settings)).join(arrayDelimiter)}"`
  if ((elements as string[]).some((text) => text.includes(arrayDelimiter)))
    throw new NotCarried('a list with a string that holds U+FDD0')
  return quoted(elements.join(arrayDelimiter))
}

/** Text in quotes, with those in it doubled. */
export const quoted = (text: string): string => `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`

function textOf(value: unknown, type: string, settings: ValueSettings): string {
  switch (type) {
    case 'boolean':
      return String(value)
    case 'long':
      return String(integerOf(value, type))
    case 'double':
      return doubleText(value)
    case 'duration':
      return durationText(fieldsOf(value, type))
    case 'point':
      return pointText(fieldsOf(value, type), settings)
    case 'time':
      return typeof value === 'string' ? checked(value, type) : timeByFields(fieldsOf(value, type), settings)
    case 'datetime':
      return typeof value === 'string' ? checked(value, type) : instantText(fieldsOf(value, type), settings)
    default:
      return checked(value, type)
  }
}

// A year beyond 9999 or before 0 has a sign.
const forms = {
  date: /^(?:\d{4}|[+-]\d{4,9})-\d\d-\d\d$/,
  localtime: /^\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?$/,
  time: /^\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/,
  localdatetime: /^(?:\d{4}|[+-]\d{4,9})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?$/,
  datetime: /^(?:\d{4}|[+-]\d{4,9})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/,
}
const isForm = (type: string): type is keyof typeof forms => Object.hasOwn(forms, type)

/** The importer would fill in what a text lacks, such as an offset, from its own settings. */
function checked(value: unknown, type: string): string {
  if (typeof value !== 'string' || !isForm(type) || !forms[type].test(value)) throw unexpected(type)
  return value
}

function integerOf(value: unknown, type: string): bigint {
  const isWhole = typeof value === 'bigint' || (typeof value === 'string' && /^-?\d{1,20}$/.test(value))
  if (!isWhole) throw unexpected(type)
  const integer = BigInt(value as string | bigint)
  // The importer would keep the last 64 bits.
  if (BigInt.asIntN(64, integer) !== integer) throw new NotCarried('an integer beyond 64 bits')
  return integer
}

const oddFloats = ['NaN', 'Infinity', '-Infinity', '-0.0']

function doubleText(value: unknown): string {
  if (typeof value === 'string' && oddFloats.includes(value)) return value
  if (typeof value !== 'number' && typeof value !== 'bigint') throw unexpected('double')
  const number = Number(value)
  return Number.isFinite(number) ? floatText(number) : String(number)
}

type Fields = Readonly<Record<string, unknown>>

function fieldsOf(value: unknown, type: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unexpected(type)
  return value as Fields
}

/** @throws NotCarried unless the value has these fields and no others */
function requireFields(fields: Fields, names: readonly string[], type: string): void {
  const keys = Object.keys(fields)
  if (keys.length !== names.length || !names.every((name) => Object.hasOwn(fields, name))) throw unexpected(type)
}

const nanosOfSecond = 1_000_000_000n

function durationText(fields: Fields): string {
  requireFields(fields, ['months', 'days', 'seconds', 'nanoseconds'], 'duration')
  const [months, days, seconds, nanoseconds] = ['months', 'days', 'seconds', 'nanoseconds'].map((name) =>
    integerOf(fields[name], 'duration'),
  ) as [bigint, bigint, bigint, bigint]
  const nanos = seconds * nanosOfSecond + nanoseconds
  const size = nanos < 0n ? -nanos : nanos
  const fraction = size % nanosOfSecond
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0')}`
  return `P${months}M${days}DT${nanos < 0n ? '-' : ''}${size / nanosOfSecond}${digits}S`
}

const geographic = ['4326', '4979']

/** The axes of a point, by its SRID. */
const axesOf: Readonly<Record<string, string>> = { 4326: 'xy', 4979: 'xyz', 7203: 'xy', 9157: 'xyz' }

function pointText(fields: Fields, { release }: ValueSettings): string {
  const srid = String(fields.srid)
  const axes = [...(axesOf[srid] ?? '')]
  requireFields(fields, ['srid', ...axes], 'point')
  // The importer of 2026 makes 0.0 of it.
  if (release === '2026' && geographic.includes(srid) && Object.is(Number(fields.x), -0))
    throw new NotCarried('a point whose longitude is -0.0')
  const texts = axes.map((axis) => `${axis}:${finiteText(fields[axis])},`)
  return `{${texts.join('')}srid:${srid}}`
}

function finiteText(value: unknown): string {
  const text = doubleText(value)
  if (/^-?\d/.test(text)) return text
  throw new NotCarried('a point with a coordinate that is not finite')
}

const offsetForm = /^([+-])(\d\d):(\d\d)(?::(\d\d))?$/

/** The seconds of an offset as text; null if the text is the name of a zone. */
function secondsOf(text: string): number | null {
  const [, sign, hours, minutes, seconds = '0'] = offsetForm.exec(text) ?? []
  if (sign === undefined) return null
  const size = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
  return sign === '-' ? -size : size
}

function timeByFields(fields: Fields, { release }: ValueSettings): string {
  requireFields(fields, ['hour', 'minute', 'second', 'nanosecond', 'timezone'], 'time')
  const [hour, minute, second, nanosecond] = ['hour', 'minute', 'second', 'nanosecond'].map((name) =>
    Number(integerOf(fields[name], 'time')),
  ) as [number, number, number, number]
  const { timezone } = fields
  const at = typeof timezone === 'string' ? secondsOf(timezone) : null
  if (at === null || hour > 23 || minute > 59 || second > 59) throw unexpected('time')
  if (at % 60 !== 0 && release === '5') throw new NotCarried(offsetWithSeconds('time'))
  return `${timeText(hour * 3_600 + minute * 60 + second, nanosecond)}${offsetText(at)}`
}

const offsetWithSeconds = (type: string) => `a ${type} at an offset with seconds, which only --importer 2026 reads`

/** A datetime given as an instant: in a zone, or at an offset. */
function instantText(fields: Fields, settings: ValueSettings): string {
  requireFields(fields, ['epochSeconds', 'nanosecond', 'timezone'], 'datetime')
  const { timezone } = fields
  if (typeof timezone !== 'string') throw unexpected('datetime')
  const epochSeconds = integerOf(fields.epochSeconds, 'datetime')
  const nanosecond = Number(integerOf(fields.nanosecond, 'datetime'))
  const fixed = secondsOf(timezone)
  const at = fixed ?? offsetAt(timezone, epochSeconds)
  const local = momentText(epochSeconds + BigInt(at), nanosecond)
  const zone = fixed === null ? `[${timezone}]` : ''
  if (at % 60 === 0 || settings.release === '2026') return `${local}${offsetText(at)}${zone}`
  if (fixed !== null) throw new NotCarried(offsetWithSeconds('datetime'))
  // Neo4j 5 reads no offset with seconds, so the zone alone must tell the instant.
  if (!isFirstOfLocal(timezone, epochSeconds, at))
    throw new NotCarried('a datetime in the hour that a zone repeats, at an offset with seconds')
  settings.onZoneData()
  return `${local}${zone}`
}
