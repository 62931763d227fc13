import { byCodePoint, isQuotable } from '../../cypher/identifiers.ts'
import type { ParameterSyntax } from '../../cypher/parameters.ts'
import { type Numbers, type Rendered, renderValue, typeName } from '../../cypher/values.ts'
import type { Properties } from '../read/columns.ts'
import { type Identity, isAlike } from '../request/identity.ts'
import type { RelationshipType } from '../request/relationship-types.ts'
import { type Pair, pairOf, type Shape, shapeOf } from './pair.ts'
import { type ClauseSource, cleanup, type KeepClause, type KeepList } from './statements/cleanup.ts'
import { deleteProperties } from './statements/delete-properties.ts'
import { type NodeChanges, nodeUpsert } from './statements/node-upsert.ts'
import { postbackNode, postbackRelationship } from './statements/postback.ts'
import { relationshipUpsert } from './statements/relationship-upsert.ts'
import type { Expression, PropertySource, Statement } from './statements/statement.ts'

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

interface FieldOptions {
  numbers?: Numbers
  excluded?: ReadonlySet<string>
  added?: readonly PropertyField[]
  /** Receives keys that cannot be published; if absent, the first such key is the problem. */
  skipped?: Set<string>
}

/** A statement with more would be legal up to the size of a pair, but take more memory to make than a worker has. */
const mostProperties = 100_000

/**
 * Properties as fields of a statement, ordered by key, without the excluded ones and with the added ones.
 * @returns the fields, or a description of the first key or value without a rendering. Contract 5, values.
 */
export function fieldsOf(
  { keys, values }: Pick<Properties, 'keys' | 'values'>,
  { numbers = 'plain', excluded = new Set(), added = [], skipped }: FieldOptions = {},
): PropertyField[] | { problem: string } {
  if (keys.length > mostProperties) return { problem: `has ${keys.length} properties, more than ${mostProperties}` }
  const fields: PropertyField[] = [...added]
  for (const [index, key] of keys.entries()) {
    if (excluded.has(key)) continue
    const value = isQuotable(key) ? renderValue(values[index], numbers) : null
    if (value === null) {
      if (!skipped) return { problem: propertyProblem(key, values[index]) }
      skipped.add(key)
      continue
    }
    fields.push({ key, value })
  }
  return fields.sort((a, b) => byCodePoint(a.key, b.key))
}

/** Why a property cannot be published. */
export const propertyProblem = (key: string, value: unknown) =>
  isQuotable(key)
    ? `has a ${typeName(value)} as its property "${key}"`
    : `has a property key ${JSON.stringify(key)} that no statement can name`

// A graph has few shapes; the limits guard against a shape per node, and against nodes with very many keys.
const shapesKept = 2_000
const shapeTextKept = 16_000_000
// Of a parameter's name and source, approximately.
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

  /** The shape of node upserts with these keys and expressions; the values are irrelevant. */
  function nodeUpsertShape(identity: Identity, fields: readonly PropertyField[], changes: NodeChanges) {
    const { protectedKeys, added, removed } = changes
    const lists = [fields.flatMap(fieldKey), protectedKeys, added, removed]
    const key = ['node', ...anchorKey(identity), ...lists.flatMap((list) => [...list, ''])]
    return shape(key, () => nodeUpsert(anchorOf(identity), fields, changes))
  }

  /** The shape of relationship upserts with these keys and expressions; the values are irrelevant. */
  function relationshipUpsertShape(
    ends: Ends,
    fields: readonly PropertyField[],
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
    nodeUpsertShape,
    nodeUpsert(identity: Identity, fields: readonly PropertyField[], changes: NodeChanges): Pair {
      const jsonOf = valuesOf(fields)
      return pairOf(nodeUpsertShape(identity, fields, changes), (source) =>
        source === 'id' ? identity.id.json : jsonOf(source),
      )
    },
    relationshipUpsertShape,
    relationshipUpsert(
      ends: Ends,
      fields: readonly PropertyField[],
      protectedKeys: readonly string[],
      idField: string | null,
    ): Pair {
      const jsonOf = valuesOf(fields)
      return pairOf(relationshipUpsertShape(ends, fields, protectedKeys, idField), (source) =>
        typeof source === 'string' ? endId(ends, source) : jsonOf(source),
      )
    },
    deleteProperties(node: Identity, keys: readonly string[]): Pair {
      const key = ['deleteProperties', ...anchorKey(node), ...keys]
      return pairOf(
        shape(key, () => deleteProperties(anchorOf(node), keys)),
        () => node.id.json,
      )
    },
    postbackNode(node: Identity, stamp: PropertyField): Pair {
      const key = ['postbackNode', ...anchorKey(node), ...fieldKey(stamp)]
      return pairOf(
        shape(key, () => postbackNode(anchorOf(node), stamp)),
        (source) => (source === 'id' ? node.id.json : stamp.value.json),
      )
    },
    postbackRelationship(ends: Ends, id: PropertyField | null, stamp: PropertyField): Pair {
      const key = ['postbackRelationship', ...endsKey(ends), ...fieldKey(stamp), ...(id === null ? [] : fieldKey(id))]
      return pairOf(
        shape(key, () => postbackRelationship(anchorsOf(ends), id, stamp)),
        (source) => {
          if (source === 'stamp') return stamp.value.json
          return source === 'relationshipId' ? (id as PropertyField).value.json : endId(ends, source)
        },
      )
    },
    cleanup(node: Identity, type: RelationshipType, lists: readonly KeepList[]): Pair {
      return pairOf(cleanupShape(node, type, lists), (source) =>
        source === 'id' ? node.id.json : `[${[...(lists[source.clause] as KeepList).ids].join(',')}]`,
      )
    },
  }
}

/** Finds the value of each property, as JSON. */
function valuesOf(fields: readonly PropertyField[]): (source: PropertySource) => string {
  const values = new Map(fields.map(({ key, value }) => [key, value.json]))
  return ({ property }) => values.get(property) as string
}

const endId = ({ start, end }: Ends, source: 'startId' | 'endId') => (source === 'startId' ? start : end).id.json

export type PairMaker = ReturnType<typeof createPairMaker>

const expressionKey = ({ wrap, list }: Expression) => (wrap === null ? '' : list ? `${wrap}*` : wrap)
const anchorsOf = ({ start, type, end }: Ends) => ({ start: anchorOf(start), type, end: anchorOf(end) })
const endsKey = ({ start, type, end }: Ends) => [...anchorKey(start), type, ...anchorKey(end)]
// With the kind: else a label and a property of some names could make two ids look like one far end.
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
const fieldKey = ({ key, value }: PropertyField) => [key, expressionKey(value)]
