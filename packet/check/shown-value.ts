import neo4j, { type Point } from 'neo4j-driver'
import { stringifyLossless } from '../lossless-json.ts'
import { isUndecodable } from '../values/render-value.ts'
import { floatText } from '../values/values.ts'
import { Altered } from './as-written.ts'

/** A value with its type: 1, 1.0, "1" and [1] give four texts. A datetime with a named zone omits its offset. */
export function valueText(value: unknown): string {
  if (typeof value === 'bigint') return `${value}`
  if (typeof value === 'number') return `float ${Object.is(value, -0) ? '-0' : value}`
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isZoned = 'timeZoneId' in value && typeof value.timeZoneId === 'string'
  const shown = Object.entries(value).filter(([key]) => !isZoned || key !== 'timeZoneOffsetSeconds')
  const fieldText = (field: unknown) =>
    (typeof field === 'object' && field !== null) || Object.is(field, -0) ? valueText(field) : String(field)
  const fields = shown.map(([key, field]) => `${key} ${fieldText(field)}`)
  return `${value.constructor.name} {${fields.join(', ')}}`
}

/**
 * Whether two values that the driver has read are the same, types included: 1 is not 1.0, -0.0 is not 0.0, NaN is NaN.
 * `areEqual` is the server's answer, for zoned datetimes only: the driver reads them without the offset from Neo4j 3.5,
 * and cannot read them at all if it does not know their zone or year.
 */
export function areSame(a: unknown, b: unknown, areEqual?: boolean): boolean {
  if (Object.is(a, b)) return true
  if (a instanceof Altered || b instanceof Altered) return false
  if (areEqual === false || typeof a !== 'object' || typeof b !== 'object') return false
  try {
    return valueText(a) === valueText(b)
  } catch {
    return areEqual === true
  }
}

const elementsShown = 60

/** A value and its type, for people: `41.0 (float)`. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null) return 'none'
  // The end of the parameter, such as a time zone, may be what the target has changed.
  if (!isUndecodable(value) && value instanceof Altered) return `${shortened(value.text, 200)} (${value.type})`
  return `${shortened(notation(value))} (${typeOf(value)})`
}

function notation(value: unknown): string {
  if (isUndecodable(value)) return 'unreadable'
  if (typeof value === 'number') return Number.isFinite(value) ? floatText(value) : String(value)
  if (typeof value === 'string') return JSON.stringify(shortened(value))
  if (neo4j.isPoint(value as object)) return pointText(value as Point)
  if (value instanceof Int8Array) return `${value.length} bytes`
  return Array.isArray(value) ? `[${value.slice(0, elementsShown).map(notation).join(', ')}]` : String(value)
}

function pointText({ srid, x, y, z }: Point): string {
  const axes = Object.entries({ x, y, ...(z === undefined || z === null ? {} : { z }) })
  return `point({srid: ${srid}, ${axes.map(([axis, at]) => `${axis}: ${notation(at)}`).join(', ')}})`
}

function typeOf(value: unknown): string {
  if (isUndecodable(value)) return 'datetime'
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return 'float'
  if (Array.isArray(value)) return 'list'
  if (value instanceof Int8Array) return 'byte array'
  return typeof value === 'object' && value !== null ? value.constructor.name.toLowerCase() : typeof value
}

/** An id as the packet has it. */
export function shownId(id: unknown): string {
  return shortened(typeof id === 'string' ? id : stringifyLossless(id))
}

const longestShown = 60

/** The beginning of a long text. It is a copy: a slice would keep the whole text in memory. */
export const shortened = (text: string, longest = longestShown): string =>
  text.length > longest ? `${Buffer.from(text.slice(0, longest))}…` : text
