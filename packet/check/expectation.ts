import { join, type Template, template } from '../cypher/parameters.ts'
import type { NamedField } from '../kinds/statement.ts'
import { applied, type Wrap } from '../values/values.ts'
import { asWritten } from './as-written.ts'
import type { Properties } from './finding.ts'

/** What the server evaluated for the fields that need an expression: a list for each group of fields. */
export interface Evaluated {
  evaluated: readonly unknown[][]
  equal: readonly boolean[][]
}

/**
 * The values that properties must have according to a pair. The server evaluates values that need an expression, and
 * the client checks that it did not change them; any other parameter is the value itself. The query takes the fields as data: if it named each field, the planning time
 * would grow with the square of their number.
 */
export function expectationOf(fields: readonly NamedField[]) {
  const needing = fields.filter(({ value }) => value.wrap !== null)
  const groups = [...Map.groupBy(needing, ({ value: { wrap, list } }) => `${wrap} ${list}`).values()]
  const each = (make: (group: readonly NamedField[]) => Template) =>
    join(
      groups.map((group, at) => template`[x IN values[${String(at)}] | ${make(group)}]`),
      ', ',
    )
  return {
    /** The columns of `Evaluated`, in a query where `actual` holds the properties and `values` the lists below. */
    columns: template`[${each(evaluatedBy)}] AS evaluated, [${each(isSame)}] AS equal`,
    /** For each group of fields: the key and the parameter of each. */
    values: (parameters: Properties): unknown[] =>
      groups.map((group) => group.map(({ key, name }) => [key, parameters[name]])),
    /** The value of each field, and for zoned datetimes whether the server found the actual value to be the same. */
    of(row: Evaluated, parameters: Properties) {
      const all = (lists: readonly unknown[][]) =>
        groups.flatMap((group, at) => group.map(({ key }, index): [string, unknown] => [key, lists[at]?.[index]]))
      const evaluated = new Map(all(row.evaluated))
      const zoned = all(row.equal).filter(([, same]) => same !== null)
      return {
        expected: Object.fromEntries(
          fields.map(({ key, name, value }) => [key, asWritten(value, parameters[name], evaluated.get(key))]),
        ),
        equal: Object.fromEntries(zoned) as Record<string, boolean>,
      }
    },
  }
}

function evaluatedBy([field]: readonly NamedField[]): Template {
  const { wrap, list } = (field as NamedField).value
  return list ? template`[y IN x[1] | ${applied(wrap as Wrap, 'y')}]` : applied(wrap as Wrap, 'x[1]')
}

/** Whether the server finds a zoned datetime to be the same; null for values that the client can compare. */
function isSame(group: readonly NamedField[]): Template {
  const { wrap, list } = (group[0] as NamedField).value
  if (wrap !== 'datetime' && wrap !== 'datetimeByFields') return ['null']
  const offset = (it: string | Template) =>
    list ? template`[z IN ${it} | z.offsetSeconds]` : template`(${it}).offsetSeconds`
  const [actual, expected] = ['actual[x[0]]', evaluatedBy(group)]
  // `=` treats both instants of a repeated hour as equal. Neo4j computes no `epochSeconds` beyond 292 million years.
  return template`CASE WHEN ${actual} = ${expected} THEN ${offset(actual)} = ${offset(expected)} ELSE false END`
}
