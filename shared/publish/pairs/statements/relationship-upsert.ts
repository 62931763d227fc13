import { quote } from '../../../cypher/identifiers.ts'
import { param, parameterNames, type Template, template } from '../../../cypher/parameters.ts'
import { expression } from '../../../cypher/values.ts'
import { type Anchor, anchorPattern, type Field, propertyMap, type Statement } from './statement.ts'

export interface RelationshipEnds {
  start: Anchor
  type: string
  end: Anchor
}

/**
 * Merges both ends by identity, merges the relationship between them (by its own id too, if `idField` names one of the
 * fields), and replaces its properties. Seed, Relationship upsert; contract 5. Values: the id of the start, the id of
 * the end, then one per field.
 */
export function relationshipUpsert(
  { start, type, end }: RelationshipEnds,
  fields: readonly Field[],
  protectedKeys: readonly string[],
  idField: string | null,
): Statement {
  const names = parameterNames(fields.map(({ key }) => key))
  const at = fields.findIndex(({ key }) => key === idField)
  const id: Template = at === -1 ? [] : idPattern(fields[at] as Field, names[at] as string)
  const merges = template`MERGE ${anchorPattern('a', start, 'a_id')} MERGE ${anchorPattern('b', end, 'b_id')}`
  const map = propertyMap('r', fields, names.map(param), protectedKeys)
  return {
    text: template`${merges} MERGE (a)-[r:${quote(type)}${id}]->(b) SET r = ${map}`,
    names: ['a_id', 'b_id', ...names],
  }
}

/** `` {`grn`: {grn}}`` */
export const idPattern = ({ key, value }: Field, name: string): Template =>
  template` {${quote(key)}: ${expression(value, param(name))}}`
