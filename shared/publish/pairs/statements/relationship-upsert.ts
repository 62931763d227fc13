import { quote } from '../../../cypher/identifiers.ts'
import { param, type Template, template } from '../../../cypher/parameters.ts'
import { expression } from '../../../cypher/values.ts'
import {
  type Anchor,
  anchorPattern,
  type Field,
  type NamedField,
  named,
  type PropertySource,
  propertyBindings,
  propertyMap,
  type Statement,
} from './statement.ts'

export interface RelationshipEnds {
  start: Anchor
  type: string
  end: Anchor
}

/**
 * Merges both ends by identity, merges the relationship between them (by its own id too, if `idField` names one of the
 * fields), and replaces its properties. Seed, Relationship upsert; contract 5.
 */
export function relationshipUpsert(
  { start, type, end }: RelationshipEnds,
  fields: readonly Field[],
  protectedKeys: readonly string[],
  idField: string | null,
): Statement<'startId' | 'endId' | PropertySource> {
  const all = named(fields)
  const id = all.find(({ key }) => key === idField) ?? null
  const merges = template`MERGE ${anchorPattern('a', start, 'a_id')} MERGE ${anchorPattern('b', end, 'b_id')}`
  const map = propertyMap('r', all, protectedKeys)
  return {
    kind: 'relationshipUpsert',
    text: template`${merges} MERGE (a)-[r:${quote(type)}${idPattern(id)}]->(b) SET r = ${map}`,
    bindings: [{ name: 'a_id', source: 'startId' }, { name: 'b_id', source: 'endId' }, ...propertyBindings(all)],
  }
}

/** `` {`grn`: {grn}}`` */
export const idPattern = (id: NamedField | null): Template =>
  id === null ? [] : template` {${quote(id.key)}: ${expression(id.value, param(id.name))}}`
