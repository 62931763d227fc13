import { quote } from '../../../cypher/identifiers.ts'
import { param, parameterNames, type Template, template } from '../../../cypher/parameters.ts'
import { idPattern, type RelationshipEnds } from './relationship-upsert.ts'
import { type Anchor, anchorPattern, type Field, type Statement } from './statement.ts'

/** Stamps one existing node; creates none. Seed, Postback; contract 4.17. Values: the id, the timestamp. */
export function postbackNode(node: Anchor, property: string): Statement {
  const [name] = parameterNames([property], ['id']) as [string]
  return {
    text: template`MATCH ${anchorPattern('n', node, 'id')} SET n.${quote(property)} = ${param(name)}`,
    names: ['id', name],
  }
}

/**
 * Stamps the existing relationships of a type between two nodes, or with `id` only the one with that id; creates none.
 * Values: the id of the start, the id of the end, the relationship's id if `id` is given, the timestamp.
 */
export function postbackRelationship(
  { start, type, end }: RelationshipEnds,
  id: Field | null,
  property: string,
): Statement {
  const names = parameterNames([...(id === null ? [] : [id.key]), property])
  const own: Template = id === null ? [] : idPattern(id, names[0] as string)
  const ends = template`MATCH ${anchorPattern('a', start, 'a_id')}-[r:${quote(type)}${own}]->${anchorPattern('b', end, 'b_id')}`
  return {
    text: template`${ends} SET r.${quote(property)} = ${param(names.at(-1) as string)}`,
    names: ['a_id', 'b_id', ...names],
  }
}
