import type { Identity } from './identity.ts'
import { type InternalId, type RelationshipRow, readRelationships } from './reads.ts'
import type { RelationshipType } from './relationship-types.ts'
import { RelationshipUpserts, requiredRelationshipId } from './relationship-upserts.ts'
import type { Chunk, Slice } from './slice.ts'
import { positionOf } from './targets.ts'
import { identify } from './write-nodes.ts'
import { completeZones } from './zones.ts'

/**
 * An upsert for each relationship of a type at the chunk's nodes, and what cleanup must keep, from the same rows.
 * Seed, `relationships`; contract 4.8, 4.11 and 5. A relationship between two targeted nodes belongs to the chunk that
 * sees it first: that one publishes it and tells the keep-lists of both ends, so that they never disagree.
 */
export async function writeRelationships(slice: Slice, chunk: Chunk, type: RelationshipType): Promise<void> {
  const { origin, plan, uniqueness } = slice
  const seen = new Set<InternalId>()
  const upserts = new RelationshipUpserts(slice)
  for await (const row of readRelationships(origin, plan.identity, chunk.nodes, type)) {
    const near = chunk.identities.get(row.node)
    const farPosition = positionOf(slice.targets.nodes, row.far)
    const isEarlier = type.direction === 'both' && farPosition !== -1 && farPosition < chunk.start
    if (near === undefined || isEarlier || seen.has(row.relationship)) continue
    seen.add(row.relationship)
    await completeZones(origin, 'relationship', row.relationship, row)
    if (plan.cleanup === 'byRelationshipId' || plan.cleanup === 'onlyWhereNoneIsLeft') {
      keepById(slice, type, row, farPosition !== -1)
      if (!plan.publishesRelationships) continue
    }
    const far = await identify(slice, row.far, row.farKeys)
    if (plan.cleanup === 'byFarEnd') keepByFarEnd(slice, type, row, near, far, farPosition !== -1)
    if (plan.relationshipIdField !== null)
      requiredRelationshipId(plan, row.relationship, type.type, plan.relationshipIdField, row)
    const [start, end] = row.isOutgoing ? [near, far] : [far, near]
    const nodes = row.isOutgoing ? ([row.node, row.far] as const) : ([row.far, row.node] as const)
    upserts.add(row.relationship, nodes, { start, type: type.type, end }, row)
  }
  await uniqueness.check()
  await upserts.write()
}

/** Does the far end's own cleanup speak of this relationship too? */
const isSeenFromFar = ({ direction }: RelationshipType, row: RelationshipRow, isTargeted: boolean) =>
  direction === 'both' && isTargeted && row.far !== row.node

function keepByFarEnd(
  { keepLists }: Slice,
  type: RelationshipType,
  row: RelationshipRow,
  near: Identity,
  far: Identity,
  isTargeted: boolean,
) {
  const [here, there] = row.isOutgoing ? (['out', 'in'] as const) : (['in', 'out'] as const)
  keepLists.keep(row.node, type.type, { by: 'farEnd', direction: here, ...far }, far.id)
  if (isSeenFromFar(type, row, isTargeted))
    keepLists.keep(row.far, type.type, { by: 'farEnd', direction: there, ...near }, near.id)
}

/** With `relationshipIdField` the ids are kept; without it (`relationshipDeleteOnly`) only that there is a relationship. */
function keepById({ plan, keepLists }: Slice, type: RelationshipType, row: RelationshipRow, isTargeted: boolean) {
  const field = plan.relationshipIdField
  const id =
    plan.cleanup === 'byRelationshipId' && field !== null
      ? requiredRelationshipId(plan, row.relationship, type.type, field, row)
      : { json: '', wrap: null, list: false }
  for (const node of isSeenFromFar(type, row, isTargeted) ? [row.node, row.far] : [row.node]) {
    keepLists.keep(node, type.type, { by: 'relationshipId', field: field ?? '', id }, id)
  }
}
