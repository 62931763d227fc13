import neo4j, { type DateTime, type Duration, type Point, type Time } from 'neo4j-driver'
import { parseLossless, stringifyLossless } from '../lossless-json.ts'
import { isUndecodable, renderValue, seconds, whole } from '../values/render-value.ts'
import { byFields, newTypeOf, type Rendered, type Wrap } from '../values/values.ts'

/** What a packet says of a value that the target evaluates to another one. No value of a target is the same. */
export class Altered {
  readonly type: string
  readonly text: string

  constructor(wrap: Wrap, parameter: unknown) {
    this.type = nameOf(wrap)
    this.text = stringifyLossless(parameter)
  }
}

/**
 * What a property should be: what the target evaluated, unless a parameter in the form that the service writes says
 * something else, for example because the target ignores the time zone. Other forms of parameters are the target's to
 * read, as in a packet of other origin.
 */
export function asWritten({ wrap, list }: Pick<Rendered, 'wrap' | 'list'>, parameter: unknown, evaluated: unknown) {
  if (wrap === null) return parameter
  const isKept = list
    ? !Array.isArray(parameter) ||
      (Array.isArray(evaluated) &&
        evaluated.length === parameter.length &&
        parameter.every((one, index) => isSaid(wrap, one, evaluated[index])))
    : isSaid(wrap, parameter, evaluated)
  return isKept ? evaluated : new Altered(wrap, parameter)
}

const nameOf = (wrap: Wrap) => byFields[wrap]?.call ?? wrap

function isSaid(wrap: Wrap, parameter: unknown, evaluated: unknown): boolean {
  if ((parameter ?? null) === null) return (evaluated ?? null) === null
  // The driver cannot read every zoned datetime.
  if (isUndecodable(evaluated)) return true
  const name = nameOf(wrap)
  if (name === 'toInteger') return !isWhole(parameter) || evaluated === BigInt(parameter)
  if (name === 'toFloat') return !isFloat(parameter) || isNumber(parameter, evaluated)
  if (newTypeOf(wrap) === 'vector') return isVector(wrap, parameter, evaluated)
  if (!types[name as keyof typeof types](evaluated as object)) return false
  if (typeof parameter === 'string') {
    const text = texts[name as keyof typeof texts]
    return text?.test(parameter) !== true || renderValue(evaluated)?.json === JSON.stringify(parameter)
  }
  const fields = parameter as Fields
  const structure = structures[name as keyof typeof structures]
  return structure?.keys(fields) !== true || structure.isSaid(fields, evaluated as never)
}

/** Whether a value is a vector of this type, with the elements of the parameter. */
function isVector(wrap: Wrap, parameter: unknown, evaluated: unknown): boolean {
  const rendered = renderValue(evaluated)
  if (rendered?.wrap !== wrap || !Array.isArray(parameter)) return false
  const elements = parseLossless(rendered.json) as unknown[]
  return (
    elements.length === parameter.length &&
    parameter.every((one, index) =>
      isWhole(one) && isWhole(elements[index])
        ? BigInt(one) === BigInt(elements[index])
        : isNumber(one, elements[index]),
    )
  )
}

type Fields = Readonly<Record<string, unknown>>

const types = {
  date: neo4j.isDate,
  time: neo4j.isTime,
  localtime: neo4j.isLocalTime,
  datetime: neo4j.isDateTime,
  localdatetime: neo4j.isLocalDateTime,
  duration: neo4j.isDuration,
  point: neo4j.isPoint,
  uuid: neo4j.isUUID,
}

/** Dates and times as the service writes them. */
const texts = {
  date: /^(?:\d{4}|-(?!0000)\d{4}|[+-][1-9]\d{4,8})-\d\d-\d\d$/,
  localtime: /^\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?$/,
  time: /^\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?(?:\+|-(?!00:00))\d\d:\d\d$/,
  localdatetime: /^(?:\d{4}|-(?!0000)\d{4}|[+-][1-9]\d{4,8})-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?$/,
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  datetime:
    /^(?:\d{4}|-(?!0000)\d{4}|[+-][1-9]\d{4,8})-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,8}[1-9])?(?:\+|-(?!00:00))\d\d:\d\d$/,
}

const offset = /^([+-])(\d\d):(\d\d)(?::(\d\d))?$/

function isInZone(zone: unknown, { timeZoneId, timeZoneOffsetSeconds }: Partial<DateTime<bigint>>): boolean {
  const [, sign, hours, minutes, rest = 0] = offset.exec(zone === 'Z' ? '+00:00' : String(zone)) ?? []
  if (sign === undefined) return timeZoneId?.toLowerCase() === String(zone).toLowerCase()
  const size = Number(hours) * 3_600 + Number(minutes) * 60 + Number(rest)
  return (timeZoneId ?? null) === null && whole(timeZoneOffsetSeconds ?? 0n) === BigInt(sign === '-' ? -size : size)
}

const hasOnly =
  (...keys: string[]) =>
  (fields: Fields) =>
    Object.keys(fields).sort().join() === keys.join()
const isEach = (fields: Fields, values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).every(([key, value]) => isWhole(fields[key]) && BigInt(fields[key]) === whole(value as bigint))

const structures = {
  datetime: {
    keys: hasOnly('epochSeconds', 'nanosecond', 'timezone'),
    isSaid(fields: Fields, it: DateTime<bigint>): boolean {
      const { timeZoneOffsetSeconds, nanosecond } = it
      if (!isInZone(fields.timezone, it) || !isEach(fields, { nanosecond })) return false
      // Bolt 3 omits the offset.
      if (timeZoneOffsetSeconds === undefined || timeZoneOffsetSeconds === null) return true
      return isEach(fields, { epochSeconds: seconds(it) - whole(timeZoneOffsetSeconds) })
    },
  },
  time: {
    keys: hasOnly('hour', 'minute', 'nanosecond', 'second', 'timezone'),
    isSaid(fields: Fields, it: Time<bigint>): boolean {
      const { hour, minute, second, nanosecond } = it
      return isEach(fields, { hour, minute, second, nanosecond }) && isInZone(fields.timezone, it)
    },
  },
  duration: {
    keys: hasOnly('days', 'months', 'nanoseconds', 'seconds'),
    isSaid: (fields: Fields, { months, days, seconds, nanoseconds }: Duration<bigint>): boolean =>
      // The target may carry nanoseconds beyond a second, which the service never writes.
      !/^\d{1,9}$/.test(String(fields.nanoseconds)) || isEach(fields, { months, days, seconds, nanoseconds }),
  },
  point: {
    keys: (fields: Fields): boolean => hasOnly('srid', 'x', 'y')(fields) || hasOnly('srid', 'x', 'y', 'z')(fields),
    isSaid: (fields: Fields, { srid, ...axes }: Point<bigint>): boolean =>
      isEach(fields, { srid }) &&
      ['x', 'y', 'z'].every((axis) => isNumber(fields[axis] ?? null, axes[axis as 'x'] ?? null)),
  },
}

/** Whether it is an integer, or the text of one. */
const isWhole = (value: unknown): value is bigint | string =>
  typeof value === 'bigint' || (typeof value === 'string' && /^-?\d{1,19}$/.test(value))

const isFloat = (value: unknown): boolean =>
  typeof value !== 'string' || value === 'NaN' || !Number.isNaN(Number(value))

/** Whether a parameter is this number, or one of its forms as JSON. */
const isNumber = (parameter: unknown, value: unknown): boolean =>
  value === null || parameter === null ? value === parameter : Object.is(Number(parameter), value)
