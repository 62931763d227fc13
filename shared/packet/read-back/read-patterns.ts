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

/** Reads the rest of a node pattern, beginning with its label. */
export const readAnchor = (scanner: Scanner): Anchor => readIdentity(scanner, scanner.name())

/** Reads the rest of a node pattern after its label. */
export function readIdentity(scanner: Scanner, label: string): Anchor {
  scanner.expect(' {')
  const { key: idProperty, value: id } = readField(scanner, ': ')
  scanner.expect('})')
  return { label, idProperty, id }
}

/** Reads the own id in a relationship pattern; null if it has none. */
export function readIdPattern(scanner: Scanner): Field | null {
  if (!scanner.takes(' {')) return null
  const id = readField(scanner, ': ')
  scanner.expect('}')
  return id
}

export function readField(scanner: Scanner, separator: string): Field {
  const key = scanner.name()
  scanner.expect(separator)
  return { key, value: readValue(scanner) }
}

/** Reads the published values, and the keys whose values the target keeps. */
export function readMap(scanner: Scanner, variable: 'n' | 'r') {
  const fields: Field[] = []
  const protectedKeys: string[] = []
  scanner.expect('{')
  if (scanner.takes('}')) return { fields, protectedKeys }
  do {
    const key = scanner.name()
    scanner.expect(': ')
    if (!scanner.takes(`${variable}.`)) fields.push({ key, value: readValue(scanner) })
    else protectedKeys.push(scanner.name())
  } while (scanner.takes(', '))
  scanner.expect('}')
  const keys = [...fields.map(({ key }) => key), ...protectedKeys]
  requires(new Set(keys).size === keys.length)
  return { fields, protectedKeys }
}
