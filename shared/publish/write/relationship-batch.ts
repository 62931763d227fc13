import { mergeText } from '../../../packet/identity.ts'
import { wholePair } from '../../../packet/pair.ts'
import type { Ends, PropertyField } from '../../../packet/pair-maker.ts'
import type { Properties } from '../../origin/properties.ts'
import type { InternalId } from '../../read/internal-ids.ts'
import { describeRelationship } from '../pairs/relationship-upserts.ts'
import { propertyProblem, type UpsertShape } from '../pairs/upserts.ts'
import { observeRelationship } from './observer.ts'
import { countSkipped, type WriteContext, withSettings } from './request-context.ts'

/** The nodes at both ends. */
type Nodes = readonly [start: InternalId, end: InternalId]

interface KeptRelationship {
  relationship: InternalId
  ends: Ends
  id: PropertyField | null
  made: UpsertShape
  properties: Properties
}

/** Two internal ids below this pack into one number that a float holds exactly. */
const halfOfExact = 2 ** 26
const isShort = (id: InternalId): id is number => typeof id === 'number' && id < halfOfExact

/**
 * Relationships to publish, keyed by what `MERGE` finds them by: type, ends, and their own id if the request names an
 * id property. Parallel ones that `MERGE` cannot distinguish collapse to the one whose internal id is smallest as text.
 * Contract 5.
 */
export class RelationshipBatch {
  readonly #context: WriteContext
  /** By type, then by ends and own id. */
  readonly #kept = new Map<string, Map<string | number, KeptRelationship>>()
  /** Relationships whose properties are in rows that may be released. */
  readonly #attached = new Set<KeptRelationship>()
  #collapsed = 0

  constructor(context: WriteContext) {
    this.#context = context
  }

  /** @throws unpublishable (422), naming the relationship and the first property without a rendering. */
  add(relationship: InternalId, [start, end]: Nodes, ends: Ends, properties: Properties): void {
    const { relationshipUpserts } = this.#context
    const made = relationshipUpserts.shapeOf(relationship, ends, properties)
    for (const index of made.skipped) {
      observeRelationship(this.#context, relationship, ends.type, properties, propertyProblem(properties, index))
    }
    const id = relationshipUpserts.idOf(properties)
    const own = id === null ? '' : mergeText(id.value)
    const key = id === null && isShort(start) && isShort(end) ? start * halfOfExact + end : `${start} ${end} ${own}`
    const all = this.#kept.get(ends.type) ?? new Map<string | number, KeptRelationship>()
    this.#kept.set(ends.type, all)
    const parallel = all.get(key)
    if (parallel) this.#collapsed++
    if (parallel && String(relationship) >= String(parallel.relationship)) return
    const kept = { relationship, ends, id, made, properties }
    all.set(key, kept)
    this.#attached.add(kept)
    if (parallel) this.#attached.delete(parallel)
  }

  /** Copies the properties of all relationships, so that the rows that they were read from may be released. */
  detach(): void {
    for (const kept of this.#attached) kept.properties = kept.properties.copy()
    this.#attached.clear()
  }

  /** Writes all relationships. Call this once, because the batch keeps them. */
  async write(): Promise<void> {
    for (const kept of this.#kept.values()) await this.#writeAll(kept.values())
    if (this.#collapsed === 0) return
    const collapsed = this.#collapsed
    this.#context.report.collapsed(collapsed)
    this.#context.writer.updateMetadata((metadata) => metadata.collapsed(collapsed))
  }

  async #writeAll(all: Iterable<KeptRelationship>): Promise<void> {
    const { plan, pairs, writer, stamp, observer, relationshipUpserts } = this.#context
    // The relationship being written: `describe` and `update` are called before the next one is set.
    let current = {} as KeptRelationship
    const describe = () => describeRelationship(current.relationship, current.ends.type)
    const update = withSettings(plan, (metadata) => {
      const { ends, id } = current
      metadata.relationship(ends.type)
      if (!plan.timestamp.postback || !plan.timestamp.stampsRelationships || !stamp) return
      metadata.postsBack(wholePair(pairs.postbackRelationship(ends, id, stamp)))
    })
    for (current of all) {
      const { ends, made, properties } = current
      observer?.relationship(ends.type)
      observer?.masked(null, properties)
      countSkipped(this.#context, 'properties', made.skipped.length)
      const bytes = relationshipUpserts.bytesOf(made, ends, properties, describe)
      const full = writer.add(bytes, made.topic, describe, update)
      if (full) await full
    }
  }
}
