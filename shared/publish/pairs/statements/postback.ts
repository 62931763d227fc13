import { quote } from '../../../cypher/identifiers.ts'
import { param, parameterNames, template } from '../../../cypher/parameters.ts'
import { expression } from '../../../cypher/values.ts'
import { idPattern, type RelationshipEnds } from './relationship-upsert.ts'
import { type Anchor, anchorPattern, type Field, type Statement } from './statement.ts'

/** Stamps one existing node; creates none. Seed, Postback; contract 4.17. */
export function postbackNode(node: Anchor, { key, value }: Field): Statement<'id' | 'stamp'> {
  const [stamp] = parameterNames([key], ['id']) as [string]
  return {
    kind: 'postback',
    text: template`MATCH ${anchorPattern('n', node, 'id')} SET n.${quote(key)} = ${expression(value, param(stamp))}`,
    bindings: [
      { name: 'id', source: 'id' },
      { name: stamp, source: 'stamp' },
    ],
  }
}

/** Stamps the existing relationships of a type between two nodes; with `id` only those with that id. Creates none. */
export function postbackRelationship(
  { start, type, end }: RelationshipEnds,
  id: Field | null,
  { key, value }: Field,
): Statement<'startId' | 'endId' | 'relationshipId' | 'stamp'> {
  const keys = id === null ? [key] : [id.key, key]
  const names = parameterNames(keys)
  const nameOf = (one: string) => names[keys.indexOf(one)] as string
  const own = id && { ...id, name: nameOf(id.key) }
  const stamp = nameOf(key)
  const ends = template`MATCH ${anchorPattern('a', start, 'a_id')}-[r:${quote(type)}${idPattern(own)}]->${anchorPattern('b', end, 'b_id')}`
  return {
    kind: 'postback',
    text: template`${ends} SET r.${quote(key)} = ${expression(value, param(stamp))}`,
    bindings: [
      { name: 'a_id', source: 'startId' },
      { name: 'b_id', source: 'endId' },
      ...(own === null ? [] : [{ name: own.name, source: 'relationshipId' } as const]),
      { name: stamp, source: 'stamp' },
    ],
  }
}
