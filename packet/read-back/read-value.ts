import { param, type Template, template } from '../cypher/parameters.ts'
import type { Expression } from '../kinds/statement.ts'
import { elementExpression, expression, wraps } from '../values/values.ts'
import { mismatch, type Scanner } from './scanner.ts'

interface Candidate {
  expression: Expression
  text: Template
}

const parameter = param('any')
const lists = [true, false]

const expressions: readonly Expression[] = [
  { wrap: null, list: false },
  ...wraps.flatMap((wrap) => lists.map((list) => ({ wrap, list }))),
]

/** Every expression that a value can have, by the text that the service writes for it. */
const values: readonly Candidate[] = expressions.map((one) => ({ expression: one, text: expression(one, parameter) }))

/** The same for an element of the list that a cleanup binds first. */
const elements = (variable: string): readonly Candidate[] =>
  expressions.map((one) => ({ expression: one, text: elementExpression(one, variable) }))

const elementsOfList = elements('x')
const ids = elementsOfList.filter(({ expression: { wrap } }) => wrap !== null)
const elementsOfRow = [elements('x[0]'), elements('x[1]'), elements('x[2]')]

export const readValue = (scanner: Scanner): Expression => first(values, scanner)

/** Reads the list that a cleanup binds first. @returns the expressions of an id, or of both ids of a pair. */
export function readBoundList(scanner: Scanner): readonly Expression[] {
  if (!scanner.takesTemplate(template`[x IN ${parameter} | `)) throw mismatch
  const id = find(ids, scanner)
  const expressions = id === null ? readInList(scanner) : [id]
  scanner.expect(']')
  return expressions
}

function readInList(scanner: Scanner): readonly Expression[] {
  scanner.expect('[')
  const id = find(ids, scanner)
  const expressions = id === null ? scanner.read`${firstIdOf}, ${secondIdOf}` : [id]
  scanner.expect(']')
  return expressions
}

const firstIdOf = (scanner: Scanner) => readElement(scanner, 0)
const secondIdOf = (scanner: Scanner) => readElement(scanner, 1)

/** Reads the value at a position of `x`; null: `x` itself. */
export const readElement = (scanner: Scanner, at: 0 | 1 | 2 | null): Expression =>
  first(at === null ? elementsOfList : (elementsOfRow[at] as readonly Candidate[]), scanner)

function first(candidates: readonly Candidate[], scanner: Scanner): Expression {
  const found = find(candidates, scanner)
  if (found === null) throw mismatch
  return found
}

const find = (candidates: readonly Candidate[], scanner: Scanner): Expression | null =>
  candidates.find(({ text }) => scanner.takesTemplate(text))?.expression ?? null
