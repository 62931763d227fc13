import neo4j, { type DateTime, type Point, type Time } from 'neo4j-driver'
import { join, type Param, type Template, template } from '../cypher/parameters.ts'
import {
  dateTimeFields,
  isByFields,
  isTooFarForFields,
  renderDate,
  renderDateTime,
  renderDuration,
  renderLocalDateTime,
  renderLocalTime,
  renderTime,
  timeFields,
} from './temporal.ts'

/** The function that restores the type of a parameter where JSON has no such type. */
export type Wrap =
  | 'toInteger'
  | 'toFloat'
  | 'date'
  | 'localtime'
  | 'time'
  | 'localdatetime'
  | 'datetime'
  | 'duration'
  | 'point'
  | 'pointByFields'
  | 'pointInSpaceByFields'
  | 'durationByFields'
  | 'timeByFields'
  | 'datetimeByFields'

/**
 * `plain`: ordinary JSON numbers. `strict`: the statement gives every number its type, for replay clients whose JSON
 * reader does not distinguish `1` from `1.0`. Contract 4, `numbers`.
 */
export type Numbers = 'plain' | 'strict'

/** A graph value as written to a packet: the parameter's JSON text and how the statement converts it. */
export interface Rendered {
  json: string
  wrap: Wrap | null
  /** Whether the wrap applies to each element of a list. */
  list: boolean
}

const plain = (json: string): Rendered => ({ json, wrap: null, list: false })
const wrapped = (wrap: Wrap, json: string): Rendered => ({ json, wrap, list: false })

/**
 * Renders a stored value of the origin, as the driver reads it (integers as BigInt, floats as number), by the table of
 * contract 5. Never calls `JSON.stringify` on a number, which would lose 1.0, -0.0 and 2^53+1.
 * @returns null for values without a rendering (byte arrays, vectors, UUIDs, points with a coordinate that is not
 * finite, datetimes that Cypher would read back as other datetimes, types of later versions).
 */
export function renderValue(value: unknown, numbers: Numbers = 'plain'): Rendered | null {
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

const [least, greatest] = [BigInt(Number.MIN_SAFE_INTEGER), BigInt(Number.MAX_SAFE_INTEGER)]

/** Whether the integer is in the range where floats represent every integer exactly. */
export const isSafe = (value: bigint) => value >= least && value <= greatest

/** JSON text of an integer that the statement converts: a string if a float would round it. */
export const wholeText = (value: bigint) => (isSafe(value) ? String(Number(value)) : `"${value}"`)

function renderInteger(value: bigint, numbers: Numbers): Rendered {
  return numbers === 'strict' || !isSafe(value) ? wrapped('toInteger', wholeText(value)) : plain(wholeText(value))
}

function renderFloat(value: number, numbers: Numbers): Rendered {
  if (!Number.isFinite(value)) return wrapped('toFloat', `"${value}"`)
  return numbers === 'strict' ? wrapped('toFloat', floatText(value)) : plain(floatText(value))
}

/** The shortest text that parses to the same value, always with a point or an exponent, so that it stays a float. */
export function floatText(value: number): string {
  if (Object.is(value, -0)) return '-0.0'
  const text = String(value)
  if (text.includes('e')) return text.replace('+', '')
  return text.includes('.') ? text : `${text}.0`
}

function renderList(values: readonly unknown[], numbers: Numbers): Rendered | null {
  const elements = values.map((value) => renderValue(value, numbers))
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
  return { json: `[${texts.join(',')}]`, wrap, list: wrap !== null }
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

/** A value that the driver cannot decode (a zoned datetime without a known offset) throws on every access. */
export function isUndecodable(value: unknown): boolean {
  try {
    neo4j.isDate(value as object)
    return false
  } catch {
    return true
  }
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

/** The expression that restores the type of a parameter's value: `{p}`, `date({p})`, `[x IN {p} | …]`. */
export function expression({ wrap, list }: Pick<Rendered, 'wrap' | 'list'>, parameter: Param): Template {
  if (wrap === null) return [parameter]
  return list ? template`[x IN ${parameter} | ${applied(wrap, 'x')}]` : applied(wrap, parameter)
}

/** `date({p})`; for a value given by its fields, converts each integer field. */
export function applied(wrap: Wrap, value: Param | string): Template {
  const integer = (name: string) => template`${name}: toInteger(${value}.${name})`
  const same = (name: string) => template`${name}: ${value}.${name}`
  switch (wrap) {
    case 'pointByFields':
      return template`point({${join([integer('srid'), same('x'), same('y')], ', ')}})`
    case 'pointInSpaceByFields':
      return template`point({${join([integer('srid'), same('x'), same('y'), same('z')], ', ')}})`
    case 'durationByFields':
      return template`duration({${join(['months', 'days', 'seconds', 'nanoseconds'].map(integer), ', ')}})`
    case 'timeByFields':
      return template`time({${join([...['hour', 'minute', 'second', 'nanosecond'].map(integer), same('timezone')], ', ')}})`
    case 'datetimeByFields':
      return template`datetime({${join([...['epochSeconds', 'nanosecond'].map(integer), same('timezone')], ', ')}})`
    default:
      return template`${wrap}(${value})`
  }
}

/** Describes the type of a value that cannot be published, for an error message. */
export function typeName(value: unknown): string {
  if (isUndecodable(value)) return 'zoned datetime of a year or zone that the driver does not know'
  if (value instanceof Int8Array || value instanceof Uint8Array) return 'byte array'
  if (Array.isArray(value)) return `list with a ${typeName(value.find((element) => renderValue(element) === null))}`
  if (neo4j.isPoint(value)) return 'point with a coordinate that is not finite'
  if (isTooFar(value)) return 'datetime in a named zone or at an offset with seconds, more than 292 million years away'
  return value === null || value === undefined ? 'null' : (Object(value).constructor?.name ?? 'unknown').toLowerCase()
}
