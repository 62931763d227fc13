import neo4j from 'neo4j-driver'
import { type Param, type Template, template } from './parameters.ts'
import {
  renderDate,
  renderDateTime,
  renderDuration,
  renderLocalDateTime,
  renderLocalTime,
  renderTime,
} from './temporal.ts'

/** The function that gives a parameter its type back where JSON has none. */
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

/** A graph value as it stands in a packet: the parameter's JSON text and what the statement does with it. */
export interface Rendered {
  json: string
  wrap: Wrap | null
  /** The wrap goes around every element of a list. */
  list: boolean
}

const plain = (json: string): Rendered => ({ json, wrap: null, list: false })
const wrapped = (wrap: Wrap, json: string): Rendered => ({ json, wrap, list: false })

/**
 * The value table of contract 5: one stored value of the origin, as the driver reads it (integers as BigInt, floats as
 * number), to its parameter. Never through `JSON.stringify` of a number: that would lose 1.0, -0.0 and 2^53+1.
 * @returns null for what has no rendering (byte arrays, vectors, points off the plane, whatever a later version stores).
 */
export function renderValue(value: unknown): Rendered | null {
  switch (typeof value) {
    case 'string':
      return plain(JSON.stringify(value))
    case 'boolean':
      return plain(value ? 'true' : 'false')
    case 'bigint':
      return renderInteger(value)
    case 'number':
      return renderFloat(value)
    default:
      return Array.isArray(value) ? renderList(value) : renderStructure(value)
  }
}

function renderInteger(value: bigint): Rendered {
  const isSafe = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
  return isSafe ? plain(value.toString()) : wrapped('toInteger', `"${value}"`)
}

function renderFloat(value: number): Rendered {
  return Number.isFinite(value) ? plain(floatText(value)) : wrapped('toFloat', `"${value}"`)
}

/** The shortest text that reads back equal, always with a point or an exponent, so that it stays a float. */
function floatText(value: number): string {
  if (Object.is(value, -0)) return '-0.0'
  const text = String(value)
  if (text.includes('e')) return text.replace('+', '')
  return text.includes('.') ? text : `${text}.0`
}

function renderList(values: readonly unknown[]): Rendered | null {
  let wrap: Wrap | null = null
  const texts: string[] = []
  for (const value of values) {
    const element = renderValue(value)
    if (element === null || element.list) return null
    wrap ??= element.wrap
    texts.push(element.json)
  }
  return { json: `[${texts.join(',')}]`, wrap, list: wrap !== null }
}

function renderStructure(value: unknown): Rendered | null {
  if (neo4j.isDate(value)) return wrapped('date', renderDate(value))
  if (neo4j.isLocalTime(value)) return wrapped('localtime', renderLocalTime(value))
  if (neo4j.isTime(value)) return wrapped('time', renderTime(value))
  if (neo4j.isLocalDateTime(value)) return wrapped('localdatetime', renderLocalDateTime(value))
  if (neo4j.isDateTime(value)) return wrapped('datetime', renderDateTime(value))
  if (neo4j.isDuration(value)) return wrapped('duration', renderDuration(value))
  if (neo4j.isPoint(value)) {
    const { srid, x, y, z } = value
    const coordinates = z === undefined || z === null ? { x, y } : { x, y, z }
    if (!Object.values(coordinates).every(Number.isFinite)) return null
    const texts = Object.entries(coordinates).map(([axis, at]) => `"${axis}":${floatText(at)}`)
    return wrapped('point', `{"srid":${srid},${texts.join(',')}}`)
  }
  return null
}

/** What a statement writes for a parameter so that its value has the type it had: `{p}`, `date({p})`, `[x IN {p} | …]`. */
export function expression({ wrap, list }: Pick<Rendered, 'wrap' | 'list'>, parameter: Param): Template {
  if (wrap === null) return [parameter]
  return list ? template`[x IN ${parameter} | ${wrap}(x)]` : template`${wrap}(${parameter})`
}

/** The type of a value that cannot be published, in words for an error. */
export function typeName(value: unknown): string {
  if (value instanceof Int8Array || value instanceof Uint8Array) return 'byte array'
  if (Array.isArray(value)) return `list with a ${typeName(value.find((element) => renderValue(element) === null))}`
  if (neo4j.isPoint(value)) return 'point with a coordinate that is not finite'
  return value === null || value === undefined ? 'null' : (Object(value).constructor?.name ?? 'unknown').toLowerCase()
}
