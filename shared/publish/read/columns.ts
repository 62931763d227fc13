import neo4j from 'neo4j-driver'
import { byCodePoint, isQuotable, quote } from '../../cypher/identifiers.ts'
import { renderValue, type Wrap } from '../../cypher/values.ts'
import { typeOf, type ValueType } from '../model/data-types.ts'

/** Properties as read; a null value means that the property is absent. */
export interface Properties {
  keys: readonly string[]
  /** One value per key; other values of the row may follow. */
  values: unknown[]
  /** The columns they were read as; null if read as plain keys and values. */
  columns: Columns | null
}

/**
 * Keys that elements of a kind have, each read as a column of its own: cheaper for the driver than a list of keys and
 * one of values. `texts` has the wrap of each column that holds a value's JSON text instead of the value.
 */
export interface Columns {
  keys: readonly string[]
  texts: readonly (TextWrap | null)[]
  /** The position of each key. */
  at: ReadonlyMap<string, number>
}

/** Temporal values that the origin formats as a packet does: reading them as text costs a tenth of decoding them. */
const texts = {
  date: /^\d{4}-\d\d-\d\d$/,
  localdatetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,8}[1-9])?$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,8}[1-9])?(Z|[+-]\d\d:\d\d)$/,
} as const
type TextWrap = keyof typeof texts
const types = { date: 'Date', localdatetime: 'LocalDateTime', datetime: 'DateTime' } as const

/** One value per type: comparing with it yields null for any other type, and never fails. */
export const comparable = {
  aDate: new neo4j.types.Date(2000, 1, 1),
  aLocaldatetime: new neo4j.types.LocalDateTime(2000, 1, 1, 0, 0, 0, 0),
  aDatetime: new neo4j.types.DateTime(2000, 1, 1, 0, 0, 0, 0, 0),
}
const comparableOf = { date: '$aDate', localdatetime: '$aLocaldatetime', datetime: '$aDatetime' }

const hasText = (wrap: Wrap | null): wrap is TextWrap => wrap !== null && Object.hasOwn(texts, wrap)

/** The wrap of a value that the origin formats as a packet does; null for any other. */
function textWrapOf(value: unknown): TextWrap | null {
  const rendered = typeof value === 'object' && !Array.isArray(value) ? renderValue(value) : null
  if (rendered === null || !hasText(rendered.wrap)) return null
  return texts[rendered.wrap].test(rendered.json.slice(1, -1)) ? rendered.wrap : null
}

/**
 * Columns for all of these properties; those of `valueKeys` hold values, never texts. null if there would be too many.
 */
export function columnsOf(
  found: readonly Properties[],
  valueKeys: readonly string[],
  known: Columns | null,
): Columns | null {
  const wraps = new Map<string, TextWrap | null>(known?.keys.map((key, index) => [key, known.texts[index] ?? null]))
  for (const { keys, values } of found) {
    for (const [index, key] of keys.entries()) {
      const wrap = textWrapOf(values[index])
      if (isQuotable(key)) wraps.set(key, wraps.has(key) && wraps.get(key) !== wrap ? null : wrap)
    }
  }
  for (const key of valueKeys) wraps.set(key, null)
  if (wraps.size > columnsAtMost) return null
  const keys = [...wraps.keys()].sort(byCodePoint)
  return {
    keys,
    texts: keys.map((key) => wraps.get(key) ?? null),
    at: new Map(keys.map((key, index) => [key, index])),
  }
}

const columnsAtMost = 64

/** The expressions that return these columns of a map of properties: one per column, then the number of properties. */
export function expressionsOf({ keys, texts }: Columns, map: string): string[] {
  const columns = keys.map((key, index) => {
    const property = `${map}.${quote(key)}`
    const wrap = texts[index] ?? null
    if (wrap === null) return property
    return `CASE WHEN (${property} < ${comparableOf[wrap]}) IS NOT NULL THEN toString(${property}) END`
  })
  return [...columns, `toFloat(size(keys(${map})))`]
}

/**
 * Reads properties from a row that begins with these expressions; the row becomes their values.
 * @returns null if the columns do not hold all properties: a key has no column, or a value does not fit its column.
 */
export function propertiesOf(columns: Columns, values: unknown[]): Properties | null {
  const { length } = columns.keys
  let present = 0
  for (let index = 0; index < length; index++) {
    const value = values[index]
    if (value === null) continue
    present++
    const wrap = columns.texts[index] ?? null
    if (wrap === null) continue
    if (!texts[wrap].test(value as string)) return null
    values[index] = `"${(value as string).replace('Z', '+00:00')}"`
  }
  return present === values[length] ? { keys: columns.keys, values, columns } : null
}

/** The type of the values of a column of texts; null for a column of values. */
export function typeOfText({ texts }: Columns, column: number): ValueType | null {
  const wrap = texts[column] ?? null
  return wrap && types[wrap]
}

/** The type of a property; null if it is absent. */
export function typeOfProperty(properties: Properties, key: string): ValueType | null {
  const value = propertyOf(properties, key)
  if (value === null) return null
  const { columns } = properties
  return (columns && typeOfText(columns, columns.at.get(key) as number)) ?? typeOf(value)
}

/** A property that was read as a value; null if it is absent. */
export function propertyOf({ keys, values, columns }: Properties, key: string): unknown {
  const at = columns === null ? keys.indexOf(key) : columns.at.get(key)
  return at === undefined || at === -1 ? null : values[at]
}
