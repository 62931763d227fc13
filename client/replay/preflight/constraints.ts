import { descriptionsOfUniqueness, uniqueness } from '../../../packet/cypher/schema.ts'

/** A property that must be unique among the nodes with a label. */
export interface Uniqueness {
  label: string
  property: string
}

/** `:Person(id), :Town(name)` */
export const namesOf = (constraints: readonly Uniqueness[]): string =>
  constraints.map(({ label, property }) => `:${label}(${property})`).join(', ')

/** The syntax in which a server lists and creates constraints: as since Neo4j 4.4, as since 4.2, or as before. */
export type ConstraintSyntax = 'require' | 'assert' | 'described'

export function constraintSyntax({ major, minor }: { major: number; minor: number }): ConstraintSyntax {
  const bolt = major * 100 + minor
  return bolt >= 404 ? 'require' : bolt >= 402 ? 'assert' : 'described'
}

export const listing = (syntax: ConstraintSyntax): string =>
  syntax === 'described' ? 'CALL db.constraints()' : 'SHOW CONSTRAINTS'

export const creation = ({ label, property }: Uniqueness, syntax: ConstraintSyntax): string =>
  uniqueness(label, property)[syntax === 'require' ? '5' : '3.5']

/**
 * Whether a listed constraint makes the property of the label unique: a uniqueness constraint or a node key on it
 * alone. One on several properties does not.
 */
export function ensures(row: Readonly<Record<string, unknown>>, { label, property }: Uniqueness): boolean {
  const { type, entityType, labelsOrTypes, properties, description } = row
  if (typeof description === 'string' && type === undefined)
    return descriptionsOfUniqueness(label, property).includes(description)
  return (
    entityType === 'NODE' &&
    /^(UNIQUENESS|NODE_PROPERTY_UNIQUENESS|NODE_KEY)$/.test(String(type)) &&
    isOnly(labelsOrTypes, label) &&
    isOnly(properties, property)
  )
}

const isOnly = (list: unknown, item: string) => Array.isArray(list) && list.length === 1 && list[0] === item
