import { join, type Param, type Template, template } from '../cypher/parameters.ts'

/** The functions that restore the type of a parameter where JSON has no such type. */
export const wraps = [
  'toInteger',
  'toFloat',
  'date',
  'localtime',
  'time',
  'localdatetime',
  'datetime',
  'duration',
  'point',
  'pointByFields',
  'pointInSpaceByFields',
  'durationByFields',
  'timeByFields',
  'datetimeByFields',
  'uuid',
  'vectorOfInteger8',
  'vectorOfInteger16',
  'vectorOfInteger32',
  'vectorOfInteger64',
  'vectorOfFloat32',
  'vectorOfFloat64',
] as const
export type Wrap = (typeof wraps)[number]

/** For a value given by its fields: the function, and the fields, of which the statement converts the integers. */
export const byFields: Partial<Record<Wrap, { call: Wrap; integers: string[]; others: string[] }>> = {
  pointByFields: { call: 'point', integers: ['srid'], others: ['x', 'y'] },
  pointInSpaceByFields: { call: 'point', integers: ['srid'], others: ['x', 'y', 'z'] },
  durationByFields: { call: 'duration', integers: ['months', 'days', 'seconds', 'nanoseconds'], others: [] },
  timeByFields: { call: 'time', integers: ['hour', 'minute', 'second', 'nanosecond'], others: ['timezone'] },
  datetimeByFields: { call: 'datetime', integers: ['epochSeconds', 'nanosecond'], others: ['timezone'] },
}

/** The name that Cypher gives the type of a vector's elements: `INTEGER8` of `vectorOfInteger8`; null for other values. */
const elementTypeOf = (wrap: Wrap): string | null => /^vectorOf(.*)$/.exec(wrap)?.[1]?.toUpperCase() ?? null

/** The types that only Cypher 25 can make, with the first Neo4j that has each. Its Community Edition stores neither. */
export const newTypes = { vector: '2025.10', uuid: '2026.08' } as const
export type NewType = keyof typeof newTypes

/** The new type that an expression makes; null for other types. */
export const newTypeOf = (wrap: Wrap | null): NewType | null =>
  wrap === 'uuid' ? 'uuid' : wrap !== null && elementTypeOf(wrap) !== null ? 'vector' : null

/**
 * `plain`: ordinary JSON numbers. `strict`: the statement gives every number its type, for replay clients whose JSON
 * reader does not distinguish `1` from `1.0`. Contract 4, `numbers`.
 */
export type Numbers = 'plain' | 'strict'

/** A graph value as written to a packet: the parameter's JSON text and how the statement converts it. */
export interface Rendered {
  json: string
  wrap: Wrap | null
  /** Whether it is a list; the wrap then applies to each element. */
  list: boolean
}

/** JSON text of an integer that the statement converts: a string if a float would round it. */
export const wholeText = (value: number | bigint) =>
  Number.isSafeInteger(Number(value)) ? String(value) : `"${value}"`

/** The shortest text that parses to the same value, always with a point or an exponent, so that it stays a float. */
export function floatText(value: number): string {
  if (Object.is(value, -0)) return '-0.0'
  const text = String(value)
  if (text.includes('e')) return text.replace('+', '')
  return text.includes('.') ? text : `${text}.0`
}

/** The expression that restores the type of a parameter's value: `{p}`, `date({p})`, `[x IN {p} | …]`. */
export function expression({ wrap, list }: Pick<Rendered, 'wrap' | 'list'>, parameter: Param): Template {
  if (wrap === null) return [parameter]
  return list ? template`[x IN ${parameter} | ${applied(wrap, 'x')}]` : applied(wrap, parameter)
}

/** The same for an element that another list comprehension binds to `variable`. */
export function elementExpression({ wrap, list }: Pick<Rendered, 'wrap' | 'list'>, variable: string): Template {
  if (wrap === null) return [variable]
  return list ? template`[y IN ${variable} | ${applied(wrap, 'y')}]` : applied(wrap, variable)
}

/** `date({p})`; for a value given by its fields, converts each integer field; for a vector, each integer. */
export function applied(wrap: Wrap, value: Param | string): Template {
  const type = elementTypeOf(wrap)
  if (type !== null) {
    const elements = type.startsWith('INTEGER') ? template`[i IN ${value} | toInteger(i)]` : [value]
    return template`vector(${elements}, size(${value}), ${type})`
  }
  const fields = byFields[wrap]
  if (fields === undefined) return template`${wrap}(${value})`
  const integers = fields.integers.map((name) => template`${name}: toInteger(${value}.${name})`)
  const others = fields.others.map((name) => template`${name}: ${value}.${name}`)
  return template`${fields.call}({${join([...integers, ...others], ', ')}})`
}
