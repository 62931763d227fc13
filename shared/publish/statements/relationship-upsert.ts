import { quote } from '../../cypher/identifiers.ts'
import { param, parameterNames, template } from '../../cypher/parameters.ts'
import { type Anchor, anchorPattern, type Field, propertyMap, type Statement } from './statement.ts'

/**
 * Merges both ends by identity, merges the relationship between them, replaces its properties. Seed, Relationship
 * upsert; contract 5. Values: the id of the start, the id of the end, then one per field.
 */
export function relationshipUpsert(start: Anchor, type: string, end: Anchor, fields: readonly Field[]): Statement {
  const names = parameterNames(fields.map(({ key }) => key))
  const merges = template`MERGE ${anchorPattern('a', start, 'a_id')} MERGE ${anchorPattern('b', end, 'b_id')}`
  return {
    text: template`${merges} MERGE (a)-[r:${quote(type)}]->(b) SET r = ${propertyMap(fields, names.map(param))}`,
    names: ['a_id', 'b_id', ...names],
  }
}
