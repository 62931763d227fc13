import { isQuotable } from '../../cypher/identifiers.ts'
import { type Rendered, renderValue } from '../../cypher/values.ts'
import * as errors from '../../errors/catalogue.ts'
import { type Columns, type Properties, propertyOf } from '../read/columns.ts'
import type { InternalId } from '../read/internal-ids.ts'
import { equalsNothing, isAlike } from '../request/identity.ts'
import type { Plan } from '../request/plan.ts'
import { ColumnUpserts, type ShapeTree, type UpsertShape } from './column-upserts.ts'
import { withSkipped } from './node-upserts.ts'
import type { Pair } from './pair.ts'
import { type Ends, fieldsOf, type PairMaker, type PropertyField } from './pair-maker.ts'

/** An upsert ready to be written: from columns, or already made from values. */
export type RelationshipUpsert = FromColumns | FromValues

interface FromColumns {
  id: PropertyField | null
  shape: UpsertShape
  properties: Properties
}

interface FromValues {
  id: PropertyField | null
  pair: Pair
  /** Properties that cannot be published. */
  skipped: ReadonlySet<string>
}

/** Makes the upserts of one request's relationships, in either of the two ways that `ColumnUpserts` explains. */
export class RelationshipUpserts {
  readonly #plan: Plan
  readonly #pairs: PairMaker
  readonly #excluded: ReadonlySet<string>
  readonly #added: readonly PropertyField[]
  readonly #columns: ColumnUpserts
  readonly #trees = new Map<Columns, Map<string, ShapeTree>>()
  #last: { ends: Ends; tree: ShapeTree } | null = null

  constructor(plan: Plan, pairs: PairMaker, stamp: PropertyField | null) {
    const { numbers } = plan.identity
    this.#plan = plan
    this.#pairs = pairs
    this.#added = plan.timestamp.stampsRelationships && stamp ? [stamp] : []
    this.#excluded = new Set([...plan.protectedRelationshipProperties, ...this.#added.map(({ key }) => key)])
    this.#columns = new ColumnUpserts({ numbers, excluded: this.#excluded, added: this.#added })
  }

  /** null if the values are needed. */
  fromColumns(ends: Ends, properties: Properties): FromColumns | null {
    if (properties.columns === null) return null
    const shape = this.#columns.shapeOf(this.#tree(ends, properties.columns), properties.values)
    return shape && { id: this.#idOf(properties), shape, properties }
  }

  /** @throws unpublishable (422), naming the relationship and the first property without a rendering. */
  fromValues(relationship: InternalId, ends: Ends, properties: Properties): FromValues {
    const { skips, identity, protectedRelationshipProperties, relationshipIdField } = this.#plan
    const about = describeRelationship(relationship, ends.type)
    if (!isQuotable(ends.type)) throw errors.unpublishable(`${about} ${typeProblem}`)
    const skipped = skips ? new Set<string>() : undefined
    const options = { numbers: identity.numbers, excluded: this.#excluded, added: this.#added, skipped }
    const fields = fieldsOf(properties, options)
    if ('problem' in fields) throw errors.unpublishable(`${about} ${fields.problem}`)
    const protectedKeys = withSkipped(protectedRelationshipProperties, skipped)
    const id = fields.find(({ key }) => key === relationshipIdField) ?? null
    const pair = this.#pairs.relationshipUpsert(ends, fields, protectedKeys, relationshipIdField)
    return { id, pair, skipped: skipped ?? new Set() }
  }

  /** The bytes of an upsert from columns, valid until the next call. */
  bytesOf({ start, end }: Ends, shape: UpsertShape, properties: Properties): Buffer {
    return this.#columns.write(shape, { startId: start.id.json, endId: end.id.json }, properties)
  }

  #idOf(properties: Properties): PropertyField | null {
    const { relationshipIdField: key, identity } = this.#plan
    if (key === null || this.#excluded.has(key)) return null
    const value = propertyOf(properties, key)
    return value === null ? null : { key, value: renderValue(value, identity.numbers) as Rendered }
  }

  #tree(ends: Ends, columns: Columns): ShapeTree {
    const last = this.#last
    if (last && last.tree.columns === columns && areAlike(last.ends, ends)) return last.tree
    const { start, type, end } = ends
    const key = JSON.stringify([type, ...[start, end].map(({ id, ...node }) => [node, id.wrap, id.list])])
    const trees = this.#trees.get(columns) ?? new Map<string, ShapeTree>()
    this.#trees.set(columns, trees)
    const tree = trees.get(key) ?? this.#newTree(ends, columns)
    trees.set(key, tree)
    this.#last = { ends, tree }
    return tree
  }

  #newTree(ends: Ends, columns: Columns): ShapeTree {
    const { protectedRelationshipProperties: protectedKeys, relationshipIdField } = this.#plan
    return this.#columns.tree(columns, {
      make: (fields) => this.#pairs.relationshipUpsertShape(ends, fields, protectedKeys, relationshipIdField),
    })
  }
}

const areAlike = (a: Ends, b: Ends) => a.type === b.type && isAlike(a.start, b.start) && isAlike(a.end, b.end)

/** Why a relationship of a type that is not quotable cannot be published. */
export const typeProblem = 'is of a type that no statement can name'

/** Describes a relationship for an error: its type and the origin's internal id. */
export const describeRelationship = (id: InternalId, type: string): string => `the relationship ${id} of type "${type}"`

/**
 * The id of a relationship: its property named by the request's `relationshipIdField`.
 * @returns null if it has no usable id and is to be skipped. @throws unpublishable (422) if it is not to be skipped.
 */
export function relationshipIdOf(
  plan: Plan,
  relationship: InternalId,
  type: string,
  field: string,
  properties: Properties,
): Rendered | null {
  const id = ownIdOf(plan, field, properties)
  if (!('problem' in id)) return id
  if (plan.skips) return null
  throw errors.unpublishable(`${describeRelationship(relationship, type)} ${id.problem}`)
}

/** The value of a relationship's id property, or a description of why it is no usable id. */
export function ownIdOf(
  { identity: { numbers } }: Plan,
  field: string,
  properties: Properties,
): Rendered | { problem: string } {
  const value = propertyOf(properties, field)
  const isThere = value !== null && !equalsNothing(value)
  const fields = isThere ? fieldsOf({ keys: [field], values: [value] }, { numbers }) : []
  if ('problem' in fields) return fields
  return fields[0]?.value ?? { problem: `has no property "${field}", the relationshipIdField` }
}
