import type { ParameterSyntax } from './cypher/parameters.ts'
import { type Identity, isAlike } from './identity.ts'
import type { RelationshipType } from './kinds/cleanup.ts'
import { type ClauseSource, cleanup, type KeepClause, type KeepList } from './kinds/cleanup.ts'
import { deleteProperties } from './kinds/delete-properties.ts'
import { type NodeChanges, nodeUpsert } from './kinds/node-upsert.ts'
import { postbackNode, postbackRelationship } from './kinds/postback.ts'
import { relationshipUpsert } from './kinds/relationship-upsert.ts'
import type { Expression, Field, Statement } from './kinds/statement.ts'
import { pairOf, type Shape, shapeOf, type WrittenPair } from './pair.ts'
import { JsonBytes } from './values/json-bytes.ts'
import type { Rendered } from './values/values.ts'

export interface PropertyField {
  key: string
  value: Rendered
}

/** A relationship's type and the identities of its ends. */
export interface Ends {
  start: Identity
  type: string
  end: Identity
}

// A graph has few shapes; the limits guard against a shape per node, and against nodes with very many keys.
const shapesKept = 2_000
const shapeTextKept = 16_000_000
// Approximate size of a parameter's name and source.
const bindingBytes = 80

/** Makes pairs; each kind's text comes from its pure function and is rendered once per shape. */
export function createPairMaker(syntax: ParameterSyntax) {
  const shapes = new Map<string, Shape<unknown>>()
  let keptText = 0

  /** `parts` identify the shape: the kind of statement, and all that its text depends on. */
  function shape<Source>(parts: readonly string[], make: () => Statement<Source>): Shape<Source> {
    const key = parts.join('\u0000')
    const known = shapes.get(key)
    if (known) return known as Shape<Source>
    const made = shapeOf(make(), syntax)
    keptText += key.length + made.statement.length + bindingBytes * made.bindings.length
    if (shapes.size >= shapesKept || keptText > shapeTextKept) {
      shapes.clear()
      keptText = 0
    }
    shapes.set(key, made)
    return made
  }

  /** The shape of node upserts with these keys and expressions. */
  function nodeUpsertShape(identity: Identity, fields: readonly Field[], changes: NodeChanges) {
    const { protectedKeys, added, removed } = changes
    const lists = [fields.flatMap(fieldKey), protectedKeys, added, removed]
    const key = ['node', ...anchorKey(identity), ...lists.flatMap((list) => [...list, ''])]
    return shape(key, () => nodeUpsert(anchorOf(identity), fields, changes))
  }

  /** The shape of relationship upserts with these keys and expressions. */
  function relationshipUpsertShape(
    ends: Ends,
    fields: readonly Field[],
    protectedKeys: readonly string[],
    idField: string | null,
  ) {
    const lists = [fields.flatMap(fieldKey), protectedKeys]
    const key = ['relationship', ...endsKey(ends), ...lists.flatMap((list) => [...list, '']), idField ?? '']
    return shape(key, () => relationshipUpsert(anchorsOf(ends), fields, protectedKeys, idField))
  }

  // A cleanup usually has the same shape as the previous one.
  let last: {
    node: Identity
    type: RelationshipType
    clauses: readonly KeepClause[]
    shape: Shape<'id' | ClauseSource>
  } | null = null

  function cleanupShape(node: Identity, type: RelationshipType, lists: readonly KeepList[]) {
    const known = last
    const isLast =
      known?.type === type &&
      isAlike(known.node, node) &&
      known.clauses.length === lists.length &&
      lists.every(({ clause }, index) => clause === known.clauses[index])
    if (isLast) return known.shape
    const clauses = lists.map(({ clause }) => clause)
    const key = ['cleanup', ...anchorKey(node), type.type, type.direction, ...clauses.flatMap(clauseKey)]
    last = { node, type, clauses, shape: shape(key, () => cleanup(anchorOf(node), type, clauses)) }
    return last.shape
  }

  return {
    /** The bytes of the pair that is being written. The next pair must wait until a part has taken them. */
    bytes: new JsonBytes(),
    nodeUpsertShape,
    relationshipUpsertShape,
    deleteProperties(node: Identity, keys: readonly string[]): WrittenPair {
      const key = ['deleteProperties', ...anchorKey(node), ...keys]
      return pairOf(
        shape(key, () => deleteProperties(anchorOf(node), keys)),
        () => node.id.json,
      )
    },
    postbackNode(node: Identity, stamp: PropertyField): WrittenPair {
      const key = ['postbackNode', ...anchorKey(node), ...fieldKey(stamp)]
      return pairOf(
        shape(key, () => postbackNode(anchorOf(node), stamp)),
        (source) => (source === 'id' ? node.id.json : stamp.value.json),
      )
    },
    postbackRelationship(ends: Ends, id: PropertyField | null, stamp: PropertyField): WrittenPair {
      const key = ['postbackRelationship', ...endsKey(ends), ...fieldKey(stamp), ...(id === null ? [] : fieldKey(id))]
      return pairOf(
        shape(key, () => postbackRelationship(anchorsOf(ends), id, stamp)),
        (source) => {
          if (source === 'stamp') return stamp.value.json
          return source === 'relationshipId' ? (id as PropertyField).value.json : endId(ends, source)
        },
      )
    },
    cleanup(node: Identity, type: RelationshipType, lists: readonly KeepList[]): WrittenPair {
      return pairOf(cleanupShape(node, type, lists), (source) =>
        source === 'id' ? node.id.json : `[${[...(lists[source.clause] as KeepList).ids].join(',')}]`,
      )
    },
  }
}

const endId = ({ start, end }: Ends, source: 'startId' | 'endId') => (source === 'startId' ? start : end).id.json

export type PairMaker = ReturnType<typeof createPairMaker>

const expressionKey = ({ wrap, list }: Expression) => (wrap === null ? '' : list ? `${wrap}*` : wrap)
const anchorsOf = ({ start, type, end }: Ends) => ({ start: anchorOf(start), type, end: anchorOf(end) })
const endsKey = ({ start, type, end }: Ends) => [...anchorKey(start), type, ...anchorKey(end)]
// Includes the kind of clause: otherwise two clauses with relationship ids could have the key of one with far ends.
const clauseKey = (clause: KeepClause) =>
  clause.by === 'farEnd'
    ? [clause.by, clause.direction, ...anchorKey(clause)]
    : [clause.by, clause.field, expressionKey(clause.id)]
const anchorOf = ({ label, idProperty, id }: Identity) => ({ label, idProperty, id })
const anchorKey = ({ label, idProperty, id }: { label: string; idProperty: string; id: Expression }) => [
  label,
  idProperty,
  expressionKey(id),
]
const fieldKey = ({ key, value }: Field) => [key, expressionKey(value)]
