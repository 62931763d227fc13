import { wholePair } from '../pairs/pair.ts'
import { type Ends, propertyProblem } from '../pairs/pair-maker.ts'
import { describeRelationship, type RelationshipUpsert, RelationshipUpserts } from '../pairs/relationship-upserts.ts'
import { type Properties, propertyOf } from '../read/columns.ts'
import type { InternalId } from '../read/internal-ids.ts'
import { readAsValues } from '../read/properties.ts'
import { mergeText } from '../request/identity.ts'
import { observeRelationship } from './observer.ts'
import { countSkipped, type WriteContext, withSettings } from './request-context.ts'

/** The nodes at both ends. */
type Nodes = readonly [start: InternalId, end: InternalId]

interface Kept {
  relationship: InternalId
  ends: Ends
  upsert: RelationshipUpsert
}

/** Two internal ids below this pack into one number that a float holds exactly. */
const halfOfExact = 2 ** 26
const isShort = (id: InternalId): id is number => typeof id === 'number' && id < halfOfExact

/**
 * Relationships to publish, keyed by what `MERGE` finds them by: type, ends, and their own id if the request names an
 * id property. Parallel ones that `MERGE` cannot distinguish collapse to the one whose element id is smallest as text.
 * Contract 5.
 */
export class RelationshipBatch {
  readonly #context: WriteContext
  readonly #upserts: RelationshipUpserts
  /** By type, then by ends and own id. */
  readonly #kept = new Map<string, Map<string | number, Kept>>()
  #collapsed = 0

  constructor(context: WriteContext) {
    this.#context = context
    this.#upserts = new RelationshipUpserts(context.plan, context.pairs, context.stamp)
  }

  /**
   * Returns a promise only if properties must be read again.
   * @throws unpublishable (422), naming the relationship and the first property without a rendering.
   */
  add(relationship: InternalId, nodes: Nodes, ends: Ends, properties: Properties): Promise<void> | undefined {
    const upsert = this.#upserts.fromColumns(ends, properties)
    if (upsert) this.#keep(nodes, { relationship, ends, upsert })
    else if (properties.columns === null) this.#keepValues(relationship, nodes, ends, properties)
    else {
      return readAsValues(this.#context.origin, 'r', relationship, properties).then((values) => {
        if (values !== null) this.#keepValues(relationship, nodes, ends, values)
      })
    }
    return undefined
  }

  #keepValues(relationship: InternalId, nodes: Nodes, ends: Ends, values: Properties): void {
    const upsert = this.#upserts.fromValues(relationship, ends, values)
    for (const key of upsert.skipped) {
      const problem = propertyProblem(key, propertyOf(values, key))
      observeRelationship(this.#context, relationship, ends.type, values, problem)
    }
    this.#keep(nodes, { relationship, ends, upsert })
  }

  #keep([start, end]: Nodes, kept: Kept): void {
    const { ends, relationship, upsert } = kept
    const own = upsert.id === null ? '' : mergeText(upsert.id.value)
    const key =
      upsert.id === null && isShort(start) && isShort(end) ? start * halfOfExact + end : `${start} ${end} ${own}`
    const all = this.#kept.get(ends.type) ?? new Map<string | number, Kept>()
    this.#kept.set(ends.type, all)
    const parallel = all.get(key)
    if (parallel) this.#collapsed++
    if (!parallel || String(relationship) < String(parallel.relationship)) all.set(key, kept)
  }

  /** Writes all relationships. Call once: they are not removed. */
  async write(): Promise<void> {
    for (const kept of this.#kept.values()) await this.#writeAll(kept.values())
    if (this.#collapsed === 0) return
    const collapsed = this.#collapsed
    this.#context.report.collapsed(collapsed)
    this.#context.writer.updateMetadata((metadata) => metadata.collapsed(collapsed))
  }

  async #writeAll(all: Iterable<Kept>): Promise<void> {
    const { plan, pairs, writer, stamp, observer } = this.#context
    // The relationship being written: `describe` and `update` are called before the next one is set.
    let current = {} as Kept
    const describe = () => describeRelationship(current.relationship, current.ends.type)
    const update = withSettings(plan, (metadata) => {
      const { ends, upsert } = current
      metadata.relationship(ends.type)
      if (!plan.timestamp.postback || !plan.timestamp.stampsRelationships || !stamp) return
      metadata.postsBack(wholePair(pairs.postbackRelationship(ends, upsert.id, stamp)))
    })
    for (current of all) {
      const { ends, upsert } = current
      observer?.relationship(ends.type)
      if ('shape' in upsert) {
        const bytes = this.#upserts.bytesOf(ends, upsert.shape, upsert.properties)
        const full = writer.add(bytes, 'relationshipUpsert', describe, update)
        if (full) await full
        continue
      }
      countSkipped(this.#context, 'properties', upsert.skipped.size)
      await writer.write(upsert.pair, describe, update)
    }
  }
}
