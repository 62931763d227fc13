import { byCodePoint, isQuotable } from '../../cypher/identifiers.ts'
import { type ParameterSyntax, render } from '../../cypher/parameters.ts'
import { type Numbers, type Rendered, renderValue, typeName } from '../../cypher/values.ts'
import type { Properties } from '../read/columns.ts'
import { type Identity, isAlike } from '../request/identity.ts'
import type { RelationshipType } from '../request/relationship-types.ts'
import type { KeepList } from './statements/cleanup.ts'
import { cleanup, type KeepClause } from './statements/cleanup.ts'
import { deleteProperties } from './statements/delete-properties.ts'
import { type NodeChanges, nodeUpsert } from './statements/node-upsert.ts'
import { postbackNode, postbackRelationship } from './statements/postback.ts'
import { relationshipUpsert } from './statements/relationship-upsert.ts'
import type { Statement } from './statements/statement.ts'

/** A statement's text as JSON, and its parameter names as JSON; pairs of equal shape share one. */
interface Shape {
  statement: string
  names: readonly (string | null)[]
}

/** One statement/parameter pair, ready to be written. */
export interface Pair {
  shape: Shape
  /** The parameters' JSON texts, in the order of the shape's names. */
  values: readonly string[]
}

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
  excluded?: readonly string[]
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
  { numbers = 'plain', excluded = [], added = [], skipped }: FieldOptions = {},
): PropertyField[] | { problem: string } {
  if (keys.length > mostProperties) return { problem: `has ${keys.length} properties, more than ${mostProperties}` }
  const fields: PropertyField[] = [...added]
  for (const [index, key] of keys.entries()) {
    if (excluded.includes(key)) continue
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

const propertyProblem = (key: string, value: unknown) =>
  isQuotable(key)
    ? `has a ${typeName(value)} as its property "${key}"`
    : `has a property key ${JSON.stringify(key)} that no statement can name`

// A graph has few shapes; the limits guard against a shape per node, and against nodes with very many keys.
const shapesKept = 2_000
const shapeTextKept = 16_000_000

/** Makes pairs; each kind's text comes from its pure function and is rendered once per shape. */
export function createPairMaker(syntax: ParameterSyntax) {
  const shapes = new Map<string, Shape>()
  let keptText = 0

  function shape(parts: readonly string[], make: () => Statement): Shape {
    const key = parts.join('\u0000')
    const known = shapes.get(key)
    if (known) return known
    const { text, names } = make()
    const made = {
      statement: JSON.stringify(render(text, syntax)),
      names: names.map((name) => (name === null ? null : JSON.stringify(name))),
    }
    keptText += key.length + made.statement.length
    if (shapes.size >= shapesKept || keptText > shapeTextKept) {
      shapes.clear()
      keptText = 0
    }
    shapes.set(key, made)
    return made
  }

  // A cleanup usually has the same shape as the previous one.
  let last: { node: Identity; type: RelationshipType; clauses: readonly KeepClause[]; shape: Shape } | null = null

  function cleanupShape(node: Identity, type: RelationshipType, lists: readonly KeepList[]): Shape {
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
    nodeUpsert(identity: Identity, fields: readonly PropertyField[], changes: NodeChanges): Pair {
      const { protectedKeys, added, removed } = changes
      const key = [
        'node',
        ...anchorKey(identity),
        ...fields.flatMap(fieldKey),
        '',
        ...protectedKeys,
        '',
        ...added,
        '',
        ...removed,
      ]
      return {
        shape: shape(key, () => nodeUpsert(anchorOf(identity), fields, changes)),
        values: [identity.id.json, ...fields.map(({ value }) => value.json)],
      }
    },
    relationshipUpsert(
      ends: Ends,
      fields: readonly PropertyField[],
      protectedKeys: readonly string[],
      idField: string | null,
    ): Pair {
      const key = [
        'relationship',
        ...endsKey(ends),
        ...fields.flatMap(fieldKey),
        '',
        ...protectedKeys,
        '',
        idField ?? '',
      ]
      return {
        shape: shape(key, () => relationshipUpsert(anchorsOf(ends), fields, protectedKeys, idField)),
        values: [ends.start.id.json, ends.end.id.json, ...fields.map(({ value }) => value.json)],
      }
    },
    deleteProperties(node: Identity, keys: readonly string[]): Pair {
      const key = ['deleteProperties', ...anchorKey(node), ...keys]
      return { shape: shape(key, () => deleteProperties(anchorOf(node), keys)), values: [node.id.json] }
    },
    postbackNode(node: Identity, { key: property, value }: PropertyField): Pair {
      const key = ['postbackNode', ...anchorKey(node), property]
      return { shape: shape(key, () => postbackNode(anchorOf(node), property)), values: [node.id.json, value.json] }
    },
    postbackRelationship(ends: Ends, id: PropertyField | null, { key: property, value }: PropertyField): Pair {
      const key = ['postbackRelationship', ...endsKey(ends), property, ...(id === null ? [] : fieldKey(id))]
      const own = id === null ? [] : [id.value.json]
      return {
        shape: shape(key, () => postbackRelationship(anchorsOf(ends), id, property)),
        values: [ends.start.id.json, ends.end.id.json, ...own, value.json],
      }
    },
    cleanup(node: Identity, type: RelationshipType, lists: readonly KeepList[]): Pair {
      return {
        shape: cleanupShape(node, type, lists),
        values: [node.id.json, ...lists.map(({ ids }) => `[${[...ids].join(',')}]`)],
      }
    },
  }
}

export type PairMaker = ReturnType<typeof createPairMaker>

type Expressed = Pick<Rendered, 'wrap' | 'list'>
const expressionKey = ({ wrap, list }: Expressed) => (wrap === null ? '' : list ? `${wrap}*` : wrap)
const anchorsOf = ({ start, type, end }: Ends) => ({ start: anchorOf(start), type, end: anchorOf(end) })
const endsKey = ({ start, type, end }: Ends) => [...anchorKey(start), type, ...anchorKey(end)]
const clauseKey = (clause: KeepClause) =>
  clause.by === 'farEnd' ? [clause.direction, ...anchorKey(clause)] : [clause.field, expressionKey(clause.id)]
const anchorOf = ({ label, idProperty, id }: Identity) => ({ label, idProperty, id })
const anchorKey = ({ label, idProperty, id }: { label: string; idProperty: string; id: Expressed }) => [
  label,
  idProperty,
  expressionKey(id),
]
const fieldKey = ({ key, value }: PropertyField) => [key, expressionKey(value)]
