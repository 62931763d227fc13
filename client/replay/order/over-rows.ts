import { render, type Template } from '../../../packet/cypher/parameters.ts'
import type { Recognised } from '../../../packet/recognise.ts'
import type { Item } from './batches.ts'

/**
 * The query that runs a statement once for each of `$rows`. Its parameters become elements of the list `row`, which is
 * shorter to send than a map with their names. The effect is the same as of separate queries, because each statement of
 * the service reads and writes only what its own row names.
 * @returns the number of rows that the statement touched, as its only value.
 */
export function overRows({ text, parameters }: Pick<Recognised, 'text' | 'parameters'>): string {
  const positions = new Map(parameters.map((name, at) => [name, at]))
  const elements = text.map((part) => (typeof part === 'string' ? part : `row[${positions.get(part.name)}]`))
  // A leading WITH, which binds lists, would otherwise drop `row` from the scope.
  const statement = elements.join('').replace(/^WITH /, 'WITH row, ')
  return `UNWIND $rows AS row ${statement} RETURN count(*)`
}

/** The values of an item's parameters, for the query above. */
export const rowOf = ({ recognised, parameters }: Pick<Item, 'recognised' | 'parameters'>): unknown[] =>
  recognised.parameters.map((name) => parameters[name])

/** Begins a query that looks something up for each of `$rows`; `at` is the position of the row. */
export const eachRow = 'UNWIND range(0, size($rows) - 1) AS at WITH at, $rows[at] AS row'

/** The query that reads something for each of `$rows`: `at` and `row` may be returned. */
export const overNumberedRows = (text: Template): string =>
  `${eachRow} ${withRowFields(text).replace(/^WITH /, 'WITH at, row, ')}`

/** The text with fields of `row` in place of parameters. */
export const withRowFields = (text: Template): string =>
  render(
    text.map((part) => (typeof part === 'string' ? part : `row.${part.name}`)),
    'dollar',
  )
