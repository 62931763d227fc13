import type { Identity } from '../../../packet/identity.ts'
import type { RelationshipType } from '../../../packet/kinds/cleanup.ts'
import type { Rendered } from '../../../packet/values/values.ts'
import type { InternalId } from '../../read/internal-ids.ts'
import type { RelationshipRow } from '../../read/relationship-rows.ts'
import { readRelationships } from '../../read/relationships.ts'
import { identityOf } from '../../request/identity.ts'
import { ownIdOf, relationshipIdOf } from '../pairs/relationship-upserts.ts'
import type { PairIndex } from '../state/index-pairs.ts'
import type { Chunk } from './chunk.ts'
import type { ReadRelationship } from './cleanup/cleanup.ts'
import { identify } from './nodes.ts'
import { observeNode, observeRelationship, onDuplicate } from './observer.ts'
import { RelationshipBatch } from './relationship-batch.ts'
import { countSkipped, type WriteContext } from './request-context.ts'

/** A relationship to publish, and the identities of its ends. */
interface Publishable {
  relationship: ReadRelationship
  near: Identity
  far: Identity
  /** Its own id; null if the request names no property for it. */
  own: Rendered | null
}

/**
 * Writes an upsert for each relationship of a type at the chunk's nodes, and records from the same rows what cleanup
 * must keep. Seed, `relationships`; contract 4.8, 4.11 and 5. A relationship between two targeted nodes belongs to the
 * first chunk that reads it: that chunk publishes it and keeps it at both ends, so they never disagree.
 */
export async function writeRelationships(context: WriteContext, chunk: Chunk, type: RelationshipType): Promise<void> {
  const done = new Set<number>()
  let batch = new RelationshipBatch(context)
  for await (const { found, isOpen } of readRelationships(context, chunk.nodes, type)) {
    const publishable = selectPublishable(context, chunk, type, found.elements, done)
    await context.uniqueness.check(onDuplicate(context))
    publish(context, chunk, publishable, batch)
    if (isOpen) batch.detach()
    else {
      await batch.write()
      batch = new RelationshipBatch(context)
    }
    found.release()
  }
}

/**
 * Selects the relationships to publish. `done` are the positions of nodes whose relationships were in earlier groups.
 * If a relationship to one of these nodes was created since, it is left out: a parallel one may have been published,
 * and the result would depend on the order of replay.
 */
function selectPublishable(
  context: WriteContext,
  chunk: Chunk,
  type: RelationshipType,
  rows: readonly RelationshipRow[],
  done: Set<number>,
): Publishable[] {
  const { plan, targets, cleanup, seen } = context
  const publishable: Publishable[] = []
  // Relationships that may occur in this group again, read from their other end.
  const known = new Set<InternalId>()
  const positions = new Set<number>()
  const end = chunk.start + chunk.nodes.length
  // Relationships are read node by node.
  let lastNode: InternalId | null = null
  let position = -1
  for (const row of rows) {
    const near = chunk.identities.get(row.node)
    const isGone = near === undefined && !chunk.skipped.has(row.node)
    if (isGone) continue
    if (row.node !== lastNode) position = targets.positionOf(row.node)
    lastNode = row.node
    positions.add(position)
    const place = placeOfFarEnd(context, row)
    const isOther = type.direction === 'both' && place.position !== -1 && place.position !== position
    const farPosition = isOther ? place.position : null
    const isEarlier = farPosition !== null && (farPosition < chunk.start || done.has(farPosition))
    if (isEarlier || known.has(row.relationship)) continue
    if (farPosition !== null && farPosition < end) known.add(row.relationship)
    const relationship = { row, type, position, farPosition }
    if (context.observer) observe(context, relationship, near === undefined)
    if (!cleanup.keepRead(relationship)) skip(context, chunk, relationship)
    else if (plan.publishesRelationships) {
      const far = near ? identify(context, row.far.node, row.far, place.identity) : null
      const hasId = plan.relationshipIdField !== null
      const own = near && far && hasId ? relationshipIdOf(plan, row.relationship, type.type, row.properties) : null
      if (near && far && (own || !hasId)) {
        seen.see(place.position, far)
        publishable.push({ relationship, near, far, own })
      } else skip(context, chunk, relationship)
    }
  }
  for (const position of positions) done.add(position)
  return publishable
}

/**
 * Position of the far end among the targets, or -1: by internal id, or by identity if the node was recreated since the
 * targets were selected. Either way, the cleanup of that identity covers the relationship too.
 */
function placeOfFarEnd(
  { plan, targets, cleanup: { positions } }: WriteContext,
  { far }: RelationshipRow,
): { position: number; identity?: ReturnType<typeof identityOf> } {
  const position = targets.positionOf(far.node)
  if (position !== -1 || positions === null) return { position }
  const identity = identityOf(plan.identity, far)
  return { position: 'problem' in identity ? -1 : positions.of(identity), identity }
}

function publish(
  context: WriteContext,
  chunk: Chunk,
  publishable: readonly Publishable[],
  batch: RelationshipBatch,
): void {
  for (const { relationship, near, far, own } of publishable) {
    const { row, type, farPosition } = relationship
    if (context.uniqueness.isDuplicate(far)) {
      skip(context, chunk, relationship)
      continue
    }
    if (context.observer && context.targets.positionOf(row.far.node) === -1) context.observer.farEnd(row.far.node)
    context.cleanup.keepPublished(relationship, near, far, own)
    const [start, end] = row.isOutgoing ? [near, far] : [far, near]
    // To `MERGE`, a recreated node is the same node.
    const farNode = farPosition === null ? row.far.node : (chunk.nodes[farPosition - chunk.start] ?? row.far.node)
    const nodes = row.isOutgoing ? ([row.node, farNode] as const) : ([farNode, row.node] as const)
    batch.add(row.relationship, nodes, { start, type: type.type, end }, row.properties)
  }
}

/** Reports problems that the build does not find if it skips an end of the relationship. */
function observe(context: WriteContext, { row, type }: ReadRelationship, isNearSkipped: boolean) {
  const { plan, uniqueness } = context
  if (plan.relationshipIdField !== null && (plan.publishesRelationships || plan.cleanup === 'byRelationshipId')) {
    const id = ownIdOf(plan, row.properties)
    if ('problem' in id) observeRelationship(context, row.relationship, type.type, row.properties, id.problem)
  }
  if (!isNearSkipped || !plan.publishesRelationships) return
  const far = identityOf(plan.identity, row.far)
  if ('problem' in far) observeNode(context, row.far.node, row.far, far.problem)
  else uniqueness.add(far, row.far.properties)
}

/** Skips a relationship, and the cleanups at its ends, which would delete it. */
function skip(context: WriteContext, chunk: Chunk, relationship: ReadRelationship) {
  countSkipped(context, 'relationships')
  if (context.index) keep(context.index, context, chunk, relationship)
  context.cleanup.suppress(relationship)
}

/** Notes a skipped relationship: a delta must not delete it. If an end has no identity, no pair was ever about it. */
function keep(
  index: PairIndex,
  { plan: { identity: rule } }: WriteContext,
  chunk: Chunk,
  { row, type }: ReadRelationship,
) {
  const keys = chunk.rows.find(({ node }) => node === row.node)
  const near = keys ? identityOf(rule, keys) : null
  const far = identityOf(rule, row.far)
  if (near === null || 'problem' in near || 'problem' in far) return
  const [start, end] = row.isOutgoing ? [near, far] : [far, near]
  index.keepBetween({ start, type: type.type, end })
}
