import { only, read, withValues } from '../check/check.ts'
import { expectationOf } from '../check/expectation.ts'
import { propertyFindings } from '../check/finding.ts'
import { quote } from '../cypher/identifiers.ts'
import { param, parameterNames, template } from '../cypher/parameters.ts'
import { aName, aNode, anId, requires } from '../read-back/read-patterns.ts'
import { readValue } from '../read-back/read-value.ts'
import type { Scanner } from '../read-back/scanner.ts'
import { expression } from '../values/values.ts'
import type { KindDefinition } from './kind.ts'
import { idPattern, relationshipBetween } from './relationship-upsert.ts'
import {
  type Anchor,
  anchorPattern,
  type Field,
  identifiedEnds,
  type RelationshipEnds,
  relationshipTopic,
  type Statement,
} from './statement.ts'

export type Postback = NodePostback | RelationshipPostback

interface NodePostback {
  kind: 'postback'
  of: 'node'
  node: Anchor
  stamp: Field
}

interface RelationshipPostback {
  kind: 'postback'
  of: 'relationship'
  ends: RelationshipEnds
  /** The own id of the relationship; null if the ends alone find it. */
  id: Field | null
  stamp: Field
}

export const postbackKind: KindDefinition<Postback> = {
  title: 'postback',
  phase: 'cleanups',
  write: (it) => (it.of === 'node' ? postbackNode(it.node, it.stamp) : postbackRelationship(it.ends, it.id, it.stamp)),
  read: (scanner) => (scanner.isAt('MATCH (a:') ? readOfRelationship(scanner) : readOfNode(scanner)),

  identities: (it) => (it.of === 'node' ? [{ ...it.node, parameter: 'id' }] : identifiedEnds(it.ends, 'a_id', 'b_id')),

  check(it) {
    const variable = it.of === 'node' ? 'n' : 'r'
    const { bindings } = postbackKind.write(it)
    const nameOf = (source: string) => bindings.find((binding) => binding.source === source)?.name as string
    const expectation = expectationOf([{ ...it.stamp, name: nameOf('stamp') }])
    const found =
      it.of === 'node'
        ? template`MATCH ${anchorPattern('n', it.node, 'id')} ${read('n')}`
        : relationshipBetween(it.ends, it.id && { ...it.id, name: nameOf('relationshipId') })
    const existing = template`${found} WHERE ${variable} IS NOT NULL ${withValues(variable)}`
    return {
      query: template`${existing} RETURN at, actual, ${expectation.columns}`,
      values: expectation.values,
      findings(row, subject, parameters) {
        const { expected, equal } = expectation.of(row, parameters)
        return propertyFindings(subject(), only(row.actual, [it.stamp.key]), expected, equal, [])
      },
    }
  },
}

/** Stamps one existing node; creates none. Seed, Postback; contract 4.17. */
export function postbackNode(node: Anchor, { key, value }: Field): Statement<'id' | 'stamp'> {
  const [stamp] = parameterNames([key], ['id']) as [string]
  return {
    topic: { kind: 'postback', label: node.label },
    text: template`MATCH ${anchorPattern('n', node, 'id')} SET n.${quote(key)} = ${expression(value, param(stamp))}`,
    bindings: [
      { name: 'id', source: 'id' },
      { name: stamp, source: 'stamp' },
    ],
  }
}

/** Stamps the existing relationships of a type, and with `id` if given, between two nodes. Creates none. */
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
    topic: relationshipTopic('postback', { start, type, end }),
    text: template`${ends} SET r.${quote(key)} = ${expression(value, param(stamp))}`,
    bindings: [
      { name: 'a_id', source: 'startId' },
      { name: 'b_id', source: 'endId' },
      ...(own === null ? [] : [{ name: own.name, source: 'relationshipId' } as const]),
      { name: stamp, source: 'stamp' },
    ],
  }
}

function readOfNode(scanner: Scanner): NodePostback {
  const [node, key, value] = scanner.read`MATCH ${aNode('n')} SET n.${aName} = ${readValue}`
  requires(key !== node.idProperty)
  return { kind: 'postback', of: 'node', node, stamp: { key, value } }
}

function readOfRelationship(scanner: Scanner): RelationshipPostback {
  const [start, type, id, end, key, value] =
    scanner.read`MATCH ${aNode('a')}-[r:${aName}${anId}]->${aNode('b')} SET r.${aName} = ${readValue}`
  requires(key !== id?.key)
  return { kind: 'postback', of: 'relationship', ends: { start, type, end }, id, stamp: { key, value } }
}
