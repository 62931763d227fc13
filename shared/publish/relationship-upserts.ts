import { isQuotable } from '../cypher/identifiers.ts'
import type { Rendered } from '../cypher/values.ts'
import * as errors from '../errors/catalogue.ts'
import { equalsNothing, mergeText } from './identity.ts'
import { type Ends, fieldsOf, type PropertyField } from './pairs.ts'
import { pairText } from './part-buffer.ts'
import type { Plan } from './plan.ts'
import type { InternalId, Properties } from './reads.ts'
import { noted, noteSkipped, type Slice } from './slice.ts'
import { withSkipped } from './write-nodes.ts'

interface Upsert {
  relationship: InternalId
  ends: Ends
  fields: readonly PropertyField[]
  protectedKeys: readonly string[]
  skipped: number
}

/**
 * Relationships to be published, by what `MERGE` finds them by: type, ends, and their own id where the request names
 * one. Parallel ones that it cannot tell apart collapse to the one whose element id is smallest as text. Contract 5.
 */
export class RelationshipUpserts {
  readonly #slice: Slice
  readonly #upserts = new Map<string, Upsert>()
  #collapsed = 0

  constructor(slice: Slice) {
    this.#slice = slice
  }

  /** @throws unpublishable (422), naming the relationship and the first property without a rendering. */
  add(
    relationship: InternalId,
    nodes: readonly [start: InternalId, end: InternalId],
    ends: Ends,
    found: Properties,
  ): void {
    const { plan } = this.#slice
    const { fields, protectedKeys, skipped } = this.#fields(relationship, ends.type, found)
    const id = plan.relationshipIdField && fields.find(({ key }) => key === plan.relationshipIdField)?.value
    const key = [...nodes, ends.type, id ? mergeText(id) : ''].join('\u0000')
    const parallel = this.#upserts.get(key)
    if (parallel) this.#collapsed++
    if (!parallel || String(relationship) < String(parallel.relationship))
      this.#upserts.set(key, { relationship, ends, fields, protectedKeys, skipped })
  }

  #fields(relationship: InternalId, type: string, found: Properties) {
    const { plan, stamp } = this.#slice
    const about = describeRelationship(relationship, type)
    if (!isQuotable(type)) throw errors.unpublishable(`${about} is of a type that no statement can name`)
    const added = plan.timestamp?.stampsRelationships && stamp ? [stamp] : []
    const excluded = [...plan.protectedRelationshipProperties, ...added.map(({ key }) => key)]
    const skipped = plan.skips ? new Set<string>() : undefined
    const fields = fieldsOf(found, { numbers: plan.identity.numbers, excluded, added, skipped })
    if ('problem' in fields) throw errors.unpublishable(`${about} ${fields.problem}`)
    const protectedKeys = withSkipped(plan.protectedRelationshipProperties, skipped)
    return { fields, protectedKeys, skipped: skipped?.size ?? 0 }
  }

  /** Writes them all, and forgets them. */
  async write(): Promise<void> {
    const { plan, pairs, writer, stamp, report } = this.#slice
    for (const { relationship, ends, fields, protectedKeys, skipped } of this.#upserts.values()) {
      for (let count = 0; count < skipped; count++) noteSkipped(this.#slice, 'properties')
      const idField = fields.find(({ key }) => key === plan.relationshipIdField) ?? null
      const note = noted(plan, (metadata) => {
        metadata.relationship(ends.type)
        if (!plan.timestamp?.postback || !plan.timestamp.stampsRelationships || !stamp) return
        metadata.postsBack(`${pairText(pairs.postbackRelationship(ends, idField, stamp))}null}`)
      })
      const pair = pairs.relationshipUpsert(ends, fields, protectedKeys, plan.relationshipIdField)
      await writer.write(pair, describeRelationship(relationship, ends.type), note)
    }
    if (this.#collapsed === 0) return
    const collapsed = this.#collapsed
    report.collapsed(collapsed)
    writer.note((metadata) => metadata.collapsed(collapsed))
  }
}

/** A relationship as an error names it: its type and the origin's own id. */
export const describeRelationship = (id: InternalId, type: string): string => `the relationship ${id} of type "${type}"`

/**
 * The id that a request's `relationshipIdField` gives a relationship.
 * @returns null for one that has none and is to be skipped. @throws unpublishable (422) where it is not.
 */
export function relationshipIdOf(
  { identity: { numbers }, skips }: Plan,
  relationship: InternalId,
  type: string,
  field: string,
  { keys, values }: Properties,
): Rendered | null {
  const at = keys.indexOf(field)
  const isThere = at !== -1 && !equalsNothing(values[at])
  const fields = isThere ? fieldsOf({ keys: [field], values: [values[at]] }, { numbers }) : []
  const [id] = 'problem' in fields ? [] : fields
  if (id) return id.value
  if (skips) return null
  const problem = 'problem' in fields ? fields.problem : `has no property "${field}", the relationshipIdField`
  throw errors.unpublishable(`${describeRelationship(relationship, type)} ${problem}`)
}
