import { quote } from '../../../cypher/identifiers.ts'
import { param, parameterNames, template } from '../../../cypher/parameters.ts'
import { idPattern, type RelationshipEnds } from './relationship-upsert.ts'
import { type Anchor, anchorPattern, type Field, type Statement } from './statement.ts'

/** Stamps one existing node; creates none. Seed, Postback; contract 4.17. */
export function postbackNode(node: Anchor, property: string): Statement<'id' | 'stamp'> {
  const [stamp] = parameterNames([property], ['id']) as [string]
  return {
    text: template`MATCH ${anchorPattern('n', node, 'id')} SET n.${quote(property)} = ${param(stamp)}`,
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
  property: string,
): Statement<'startId' | 'endId' | 'relationshipId' | 'stamp'> {
  const keys = id === null ? [property] : [id.key, property]
  const names = parameterNames(keys)
  const nameOf = (key: string) => names[keys.indexOf(key)] as string
  const own = id && { ...id, name: nameOf(id.key) }
  const stamp = nameOf(property)
  const ends = template`MATCH ${anchorPattern('a', start, 'a_id')}-[r:${quote(type)}${idPattern(own)}]->${anchorPattern('b', end, 'b_id')}`
  return {
    text: template`${ends} SET r.${quote(property)} = ${param(stamp)}`,
    bindings: [
      { name: 'a_id', source: 'startId' },
      { name: 'b_id', source: 'endId' },
      ...(own === null ? [] : [{ name: own.name, source: 'relationshipId' } as const]),
      { name: stamp, source: 'stamp' },
    ],
  }
}
