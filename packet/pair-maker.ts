import type { ParameterSyntax } from './cypher/parameters.ts'
import { type Identity, isAlike } from './identity.ts'
import { type ClauseSource, cleanup, type RelationshipType } from './kinds/cleanup.ts'
import { deleteProperties } from './kinds/delete-properties.ts'
import { clauseKey, type KeepClause, type KeepList } from './kinds/keep-clauses.ts'
import { type NodeChanges, nodeUpsert } from './kinds/node-upsert.ts'
import { postbackNode, postbackRelationship } from './kinds/postback.ts'
import { relationshipUpsert } from './kinds/relationship-upsert.ts'
import type { Expression, Field, Statement } from './kinds/statement.ts'
import { pairOf, type Shape, shapeOf, type WrittenPair } from './pair.ts'
import { JsonBytes } from './values/json-bytes.ts'
import { type NewType, newTypeOf, type Rendered } from './values/values.ts'

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

/**
 * Makes pairs; each kind's text comes from its pure function and is rendered once per shape. `sortsLists`: whether what a
 * cleanup keeps is sorted, so that the same graph gives the same pair; otherwise it comes as the origin sends it.
 */
export function createPairMaker(syntax: ParameterSyntax, sortsLists = false) {
  const shapes = new Map<string, Shape<unknown>>()
  const types = new Set<NewType>()
  let keptText = 0

  /** `key` identifies the shape: the kind of statement, and all that its text depends on. */
  function shape<Source>(key: string, make: () => Statement<Source>, values: readonly Expression[]): Shape<Source> {
    const known = shapes.get(key)
    if (known) return known as Shape<Source>
    for (const { wrap } of values) {
      const type = newTypeOf(wrap)
      if (type !== null) types.add(type)
    }
    const made = shapeOf(make(), syntax)
    keptText += key.length + made.statement.length + bindingBytes * made.bindings.length
    if (shapes.size >= shapesKept || keptText > shapeTextKept) {
      shapes.clear()
      keptText = 0
    }
    shapes.set(key, made)
    return made
  }

  const listOf = (ids: Iterable<string>): string => `[${(sortsLists ? [...ids].sort() : [...ids]).join(',')}]`

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
    const key = JSON.stringify([nodeKey(node), type, clauses.map((clause) => [clause.by, ...clauseKey(clause)])])
    last = {
      node,
      type,
      clauses,
      shape: shape(key, () => cleanup(node, type, clauses), [node.id, ...clauses.flatMap(expressionsOf)]),
    }
    return last.shape
  }

  return {
    /** The types of values that only Cypher 25 can make, in the pairs so far. */
    newTypes: (): readonly NewType[] => [...types],
    /** The bytes of the pair that is being written. The next pair must wait until a part has taken them. */
    bytes: new JsonBytes(),
    /** The shape of node upserts with these keys and expressions. */
    nodeUpsertShape(node: Identity, fields: readonly Field[], changes: NodeChanges) {
      const key = JSON.stringify([nodeKey(node), fields.map(fieldKey), changes])
      return shape(key, () => nodeUpsert(node, fields, changes), [node.id, ...fields.map(({ value }) => value)])
    },
    /** The shape of relationship upserts with these keys and expressions. */
    relationshipUpsertShape(ends: Ends, fields: readonly Field[], kept: readonly string[], idField: string | null) {
      const key = JSON.stringify([endsKey(ends), fields.map(fieldKey), kept, idField])
      const values = [ends.start.id, ends.end.id, ...fields.map(({ value }) => value)]
      return shape(key, () => relationshipUpsert(ends, fields, kept, idField), values)
    },
    deleteProperties(node: Identity, keys: readonly string[]): WrittenPair {
      const key = `deleteProperties ${nodeKey(node)}${keys.join('\u0000')}`
      return pairOf(
        shape(key, () => deleteProperties(node, keys), [node.id]),
        () => node.id.json,
      )
    },
    postbackNode(node: Identity, stamp: PropertyField): WrittenPair {
      const made = shape(`postback ${nodeKey(node)}${fieldKey(stamp)}`, () => postbackNode(node, stamp), [node.id])
      return pairOf(made, (source) => (source === 'id' ? node.id : stamp.value).json)
    },
    postbackRelationship(ends: Ends, id: PropertyField | null, stamp: PropertyField): WrittenPair {
      const key = `postback ${endsKey(ends)}${id && fieldKey(id)}${fieldKey(stamp)}`
      const values = { startId: ends.start.id, endId: ends.end.id, relationshipId: id?.value, stamp: stamp.value }
      return pairOf(
        shape(key, () => postbackRelationship(ends, id, stamp), [ends.start.id, ends.end.id]),
        (source) => (values[source] as Rendered).json,
      )
    },
    cleanup: (node: Identity, type: RelationshipType, lists: readonly KeepList[]): WrittenPair =>
      pairOf(cleanupShape(node, type, lists), (source) =>
        source === 'id' ? node.id.json : listOf((lists[source.clause] as KeepList).ids),
      ),
  }
}

export type PairMaker = ReturnType<typeof createPairMaker>

const expressionsOf = (clause: KeepClause): Expression[] =>
  clause.by === 'farEndAndId' ? [clause.id, clause.relationshipId] : [clause.id]
const valueKey = ({ wrap, list }: Expression) => (wrap === null ? '' : list ? `${wrap}*` : wrap)
const fieldKey = ({ key, value }: Field) => `${key}\u0000${valueKey(value)}\u0000`
const nodeKey = ({ label, idProperty, id }: Identity) => `${label}\u0000${idProperty}\u0000${valueKey(id)}\u0000`
const endsKey = ({ start, type, end }: Ends) => `${nodeKey(start)}${type}\u0000${nodeKey(end)}`
