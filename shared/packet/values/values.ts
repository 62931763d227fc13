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

/** `date({p})`; for a value given by its fields, converts each integer field. */
export function applied(wrap: Wrap, value: Param | string): Template {
  const fields = byFields[wrap]
  if (fields === undefined) return template`${wrap}(${value})`
  const integers = fields.integers.map((name) => template`${name}: toInteger(${value}.${name})`)
  const others = fields.others.map((name) => template`${name}: ${value}.${name}`)
  return template`${fields.call}({${join([...integers, ...others], ', ')}})`
}
