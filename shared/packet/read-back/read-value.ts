import { param, type Template, template } from '../cypher/parameters.ts'
import type { Expression } from '../kinds/statement.ts'
import { applied, expression, type Wrap } from '../values/values.ts'
import { mismatch, type Scanner } from './scanner.ts'

const wraps = Object.keys({
  toInteger: 0,
  toFloat: 0,
  date: 0,
  localtime: 0,
  time: 0,
  localdatetime: 0,
  datetime: 0,
  duration: 0,
  point: 0,
  pointByFields: 0,
  pointInSpaceByFields: 0,
  durationByFields: 0,
  timeByFields: 0,
  datetimeByFields: 0,
} satisfies Record<Wrap, 0>) as Wrap[]

interface Candidate {
  expression: Expression
  text: Template
}

const parameter = param('any')
const lists = [true, false]

/** Every expression that a value can have, by the text that the service writes for it. */
const values: readonly Candidate[] = [
  { wrap: null, list: false },
  ...wraps.flatMap((wrap) => lists.map((list) => ({ wrap, list }))),
].map((one) => ({ expression: one, text: expression(one, parameter) }))

/** The same for the list of ids that a cleanup binds first. */
const boundLists: readonly Candidate[] = wraps.flatMap((wrap) =>
  lists.map((list) => {
    const element = list ? template`[y IN x | ${applied(wrap, 'y')}]` : applied(wrap, 'x')
    return { expression: { wrap, list }, text: template`[x IN ${parameter} | ${element}]` }
  }),
)

export const readValue = (scanner: Scanner): Expression => first(values, scanner)
export const readBoundList = (scanner: Scanner): Expression => first(boundLists, scanner)

function first(candidates: readonly Candidate[], scanner: Scanner): Expression {
  const found = candidates.find(({ text }) => scanner.takesTemplate(text))
  if (found === undefined) throw mismatch
  return found.expression
}
