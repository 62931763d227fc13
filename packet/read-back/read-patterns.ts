import type { Anchor, Expression, Field } from '../kinds/statement.ts'
import { readElement, readValue } from './read-value.ts'
import { mismatch, type Scanner } from './scanner.ts'

/**
 * @throws mismatch if a rule of the service's own statements does not hold, for example that none changes an identity.
 * Contract 4.13 to 4.16.
 */
export function requires(holds: boolean): void {
  if (!holds) throw mismatch
}

export const aName = (scanner: Scanner): string => scanner.name()

type ReadValue = (scanner: Scanner) => Expression
type Position = Parameters<typeof readElement>[1]

/** Reads the pattern of a node. */
export const aNode =
  (variable: 'n' | 'a' | 'b', readId: ReadValue = readValue) =>
  (scanner: Scanner): Anchor => {
    scanner.expect(`(${variable}`)
    const [label, idProperty, id] = scanner.read`:${aName} {${aName}: ${readId}})`
    return { label, idProperty, id }
  }

/** The same where the id is at a position of `x`, or is `x` itself. */
export const anElementNode = (variable: 'n' | 'a' | 'b', at: Position) =>
  aNode(variable, (scanner) => readElement(scanner, at))

/** Reads the own id in a relationship pattern; null if it has none. */
export const anId = (scanner: Scanner): Field | null => readId(scanner, readValue)

/** The same where the id is at a position of `x`. */
export const anElementId =
  (at: Position) =>
  (scanner: Scanner): Field | null =>
    readId(scanner, (it) => readElement(it, at))

function readId(scanner: Scanner, readOwn: ReadValue): Field | null {
  if (!scanner.isAt(' {')) return null
  const [key, value] = scanner.read` {${aName}: ${readOwn}}`
  return { key, value }
}

/** Reads the published values, and the keys whose values the target keeps. */
export const aMap = (variable: 'n' | 'r') => (scanner: Scanner) => {
  const fields: Field[] = []
  const protectedKeys: string[] = []
  scanner.expect('{')
  if (scanner.takes('}')) return { fields, protectedKeys }
  do {
    const [key] = scanner.read`${aName}: `
    if (!scanner.takes(`${variable}.`)) fields.push({ key, value: readValue(scanner) })
    else protectedKeys.push(scanner.name())
  } while (scanner.takes(', '))
  scanner.expect('}')
  const keys = [...fields.map(({ key }) => key), ...protectedKeys]
  requires(new Set(keys).size === keys.length)
  return { fields, protectedKeys }
}
