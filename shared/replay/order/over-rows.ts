import { render, type Template } from '../../cypher/parameters.ts'
import type { Recognised } from '../recognise.ts'

/**
 * The query that runs a statement once for each of `$rows`: its parameters become fields of `row`. Exact, because each
 * statement of the service reads and writes only what its own row names.
 * @returns the number of rows that the statement touched, as its only value.
 */
export function overRows({ text }: Pick<Recognised, 'text'>): string {
  // A leading WITH, which binds lists, would otherwise drop `row` from the scope.
  const statement = withRowFields(text).replace(/^WITH /, 'WITH row, ')
  return `UNWIND $rows AS row ${statement} RETURN count(*)`
}

/** The text with fields of `row` in place of parameters. */
export const withRowFields = (text: Template): string =>
  render(
    text.map((part) => (typeof part === 'string' ? part : `row.${part.name}`)),
    'dollar',
  )
