import { isQuotable } from '../../../packet/cypher/identifiers.ts'
import { isAlike } from '../../../packet/identity.ts'
import type { Kind } from '../../../packet/packstream/kinds.ts'
import type { Ends, PairMaker, PropertyField } from '../../../packet/pair-maker.ts'
import { isPublishableIn } from '../../../packet/values/expressions.ts'
import type { Rendered } from '../../../packet/values/values.ts'
import * as errors from '../../errors/catalogue.ts'
import type { Properties } from '../../origin/properties.ts'
import type { InternalId } from '../../read/internal-ids.ts'
import type { Plan } from '../../request/plan.ts'
import {
  MadeUpserts,
  propertyProblem,
  type UpsertKind,
  type UpsertShape,
  upsertBytes,
  upsertShape,
  withLeftOut,
} from './upserts.ts'

/** The upsert that was last made for relationships of a shape. */
interface LastRelationships {
  by: RelationshipUpserts
  ends: Ends
  made: UpsertShape
}

/** Makes the upserts of one request's relationships. */
export class RelationshipUpserts {
  readonly #plan: Plan
  readonly #pairs: PairMaker
  readonly #excluded: ReadonlySet<string>
  readonly #added: readonly PropertyField[]
  readonly #made = new MadeUpserts()

  constructor(plan: Plan, pairs: PairMaker, stamp: PropertyField | null) {
    this.#plan = plan
    this.#pairs = pairs
    this.#added = plan.timestamp.stampsRelationships && stamp ? [stamp] : []
    this.#excluded = new Set([...plan.protectedRelationshipProperties, ...this.#added.map(({ key }) => key)])
  }

  /** @throws unpublishable (422), naming the relationship and the first property without a rendering. */
  shapeOf(relationship: InternalId, ends: Ends, properties: Properties): UpsertShape {
    const { shape } = properties
    const last = shape.last as LastRelationships | null
    if (last?.by === this && areAlike(last.ends, ends)) return last.made
    const about = () => describeRelationship(relationship, ends.type)
    if (!isQuotable(ends.type)) throw errors.unpublishable(`${about()} ${typeProblem}`)
    const { start, type, end } = ends
    const key = JSON.stringify([type, ...[start, end].map(({ id, ...node }) => [node, id.wrap, id.list])])
    const { protectedRelationshipProperties, relationshipIdField, identity, skips } = this.#plan
    const kind: UpsertKind = {
      numbers: identity.numbers,
      syntax: identity.syntax,
      excluded: this.#excluded,
      added: this.#added,
      skips,
      make: (fields, leftOut) => {
        const protectedKeys = withLeftOut(protectedRelationshipProperties, leftOut)
        return this.#pairs.relationshipUpsertShape(ends, fields, protectedKeys, relationshipIdField)
      },
    }
    const made = this.#made.find(shape, key, () => upsertShape(kind, properties, about))
    shape.last = { by: this, ends, made } satisfies LastRelationships
    return made
  }

  /** The bytes of the pair, valid until another one is made. */
  bytesOf(made: UpsertShape, { start, end }: Ends, properties: Properties, about: () => string): Buffer {
    const ids = { startId: start.id.json, endId: end.id.json }
    return upsertBytes(this.#pairs.bytes, made, ids, properties, { numbers: this.#plan.identity.numbers, about })
  }

  /** The relationship's own id, if the request names its property. */
  idOf(properties: Properties): PropertyField | null {
    const key = this.#plan.relationshipIdField
    const id = key === null ? null : ownIdOf(this.#plan, properties)
    return key === null || id === null || 'problem' in id ? null : { key, value: id }
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
export function relationshipIdOf(plan: Plan, id: InternalId, type: string, properties: Properties): Rendered | null {
  const own = ownIdOf(plan, properties)
  if (!('problem' in own)) return own
  if (plan.skips) return null
  throw errors.unpublishable(`${describeRelationship(id, type)} ${own.problem}`)
}

/** The value of a relationship's id property, or a description of why it cannot be used as an id. */
export function ownIdOf(plan: Plan, properties: Properties): Rendered | { problem: string } {
  const field = plan.relationshipIdField as string
  const index = properties.shape.indexOf(field)
  if (index === -1 || properties.isNaN(index)) return { problem: `has no property "${field}", the relationshipIdField` }
  const isUsable = isQuotable(field) && isPublishableIn(plan.identity.syntax, properties.shape.kinds[index] as Kind)
  return isUsable ? properties.rendered(index, plan.identity.numbers) : { problem: propertyProblem(properties, index) }
}
