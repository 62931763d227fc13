import type { Anchor, Field } from '../kinds/statement.ts'
import { readValue } from './read-value.ts'
import { mismatch, type Scanner } from './scanner.ts'

/**
 * @throws mismatch if a rule of the service's own statements does not hold, for example that none changes an identity.
 * Contract 4.13 to 4.16.
 */
export function requires(holds: boolean): void {
  if (!holds) throw mismatch
}

export const aName = (scanner: Scanner): string => scanner.name()

/** Reads the pattern of a node. */
export const aNode =
  (variable: 'n' | 'a' | 'b') =>
  (scanner: Scanner): Anchor => {
    scanner.expect(`(${variable}`)
    const [label, idProperty, id] = scanner.read`:${aName} {${aName}: ${readValue}})`
    return { label, idProperty, id }
  }

/** Reads the own id in a relationship pattern; null if it has none. */
export function anId(scanner: Scanner): Field | null {
  if (!scanner.isAt(' {')) return null
  const [key, value] = scanner.read` {${aName}: ${readValue}}`
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
