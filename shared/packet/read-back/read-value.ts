import { param, type Template, template } from '../cypher/parameters.ts'
import type { Expression } from '../kinds/statement.ts'
import { applied, expression, wraps } from '../values/values.ts'
import { mismatch, type Scanner } from './scanner.ts'

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
