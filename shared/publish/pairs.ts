import { byCodePoint, isQuotable } from '../cypher/identifiers.ts'
import { type ParameterSyntax, render } from '../cypher/parameters.ts'
import { type Rendered, renderValue, typeName } from '../cypher/values.ts'
import type { Identity } from './identity.ts'
import type { KeepList } from './keep-lists.ts'
import type { Properties } from './reads.ts'
import type { RelationshipType } from './relationship-types.ts'
import { cleanup } from './statements/cleanup.ts'
import { nodeUpsert } from './statements/node-upsert.ts'
import { relationshipUpsert } from './statements/relationship-upsert.ts'
import type { Statement } from './statements/statement.ts'

/** A statement's text as JSON, and its parameter names as JSON: equal shapes share one. */
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

/**
 * Properties as a statement takes them, ordered by key.
 * @returns in words what cannot be published, the first key or value without a rendering. Contract 5, values.
 */
export function fieldsOf({ keys, values }: Properties): PropertyField[] | { problem: string } {
  const fields: PropertyField[] = []
  for (const [index, key] of keys.entries()) {
    if (!isQuotable(key)) return { problem: `has a property key ${JSON.stringify(key)} that no statement can name` }
    const value = renderValue(values[index])
    if (value === null) return { problem: `has a ${typeName(values[index])} as its property "${key}"` }
    fields.push({ key, value })
  }
  return fields.sort((a, b) => byCodePoint(a.key, b.key))
}

// A graph has few shapes; one with a shape a node must not fill the memory.
const shapesKept = 2_000

/** Makes pairs; each kind's text comes from its pure function and is rendered once a shape. */
export function createPairMaker(syntax: ParameterSyntax) {
  const shapes = new Map<string, Shape>()

  function shape(parts: readonly string[], make: () => Statement): Shape {
    const key = parts.join('\u0000')
    const known = shapes.get(key)
    if (known) return known
    const { text, names } = make()
    const made = {
      statement: JSON.stringify(render(text, syntax)),
      names: names.map((name) => (name === null ? null : JSON.stringify(name))),
    }
    if (shapes.size >= shapesKept) shapes.clear()
    shapes.set(key, made)
    return made
  }

  return {
    nodeUpsert(identity: Identity, fields: readonly PropertyField[], labels: readonly string[]): Pair {
      const added = labels.filter((label) => label !== identity.label).sort(byCodePoint)
      const key = ['node', ...anchorKey(identity), ...fields.flatMap(fieldKey), '', ...added]
      return {
        shape: shape(key, () => nodeUpsert(anchorOf(identity), fields, added)),
        values: [identity.id.json, ...fields.map(({ value }) => value.json)],
      }
    },
    relationshipUpsert(start: Identity, type: string, end: Identity, fields: readonly PropertyField[]): Pair {
      const key = ['relationship', ...anchorKey(start), type, ...anchorKey(end), ...fields.flatMap(fieldKey)]
      return {
        shape: shape(key, () => relationshipUpsert(anchorOf(start), type, anchorOf(end), fields)),
        values: [start.id.json, end.id.json, ...fields.map(({ value }) => value.json)],
      }
    },
    cleanup(node: Identity, type: RelationshipType, lists: readonly KeepList[]): Pair {
      const clauses = lists.map(({ clause }) => clause)
      const clauseKeys = clauses.flatMap((clause) => [clause.direction, ...anchorKey(clause)])
      const key = ['cleanup', ...anchorKey(node), type.type, type.direction, ...clauseKeys]
      return {
        shape: shape(key, () => cleanup(anchorOf(node), type, clauses)),
        values: [node.id.json, ...lists.map(({ ids }) => `[${[...ids].join(',')}]`)],
      }
    },
  }
}

export type PairMaker = ReturnType<typeof createPairMaker>

type Expressed = Pick<Rendered, 'wrap' | 'list'>
const expressionKey = ({ wrap, list }: Expressed) => (wrap === null ? '' : list ? `${wrap}*` : wrap)
const anchorOf = ({ label, idProperty, id }: Identity) => ({ label, idProperty, id })
const anchorKey = ({ label, idProperty, id }: { label: string; idProperty: string; id: Expressed }) => [
  label,
  idProperty,
  expressionKey(id),
]
const fieldKey = ({ key, value }: PropertyField) => [key, expressionKey(value)]
