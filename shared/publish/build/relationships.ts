import type { Rendered } from '../../cypher/values.ts'
import { relationshipIdOf } from '../pairs/relationship-upserts.ts'
import type { InternalId } from '../read/internal-ids.ts'
import type { RelationshipRow } from '../read/relationship-rows.ts'
import { readRelationships } from '../read/relationships.ts'
import { type Identity, identityOf } from '../request/identity.ts'
import type { RelationshipType } from '../request/relationship-types.ts'
import { anyId } from './cleanup/keep-lists.ts'
import { identify } from './nodes.ts'
import { RelationshipBatch } from './relationship-batch.ts'
import { type Chunk, noteSkipped, type Work } from './work.ts'

/** A relationship as read from a targeted node. */
interface Seen {
  row: RelationshipRow
  near: Identity
  far: Identity
  farTarget: FarTarget | null
}

/** The far end, if it is another targeted node whose own cleanup covers the relationship too. */
interface FarTarget {
  node: InternalId
  /** Position among the targets. */
  position: number
}

/**
 * Writes an upsert for each relationship of a type at the chunk's nodes, and records from the same rows what cleanup
 * must keep. Seed, `relationships`; contract 4.8, 4.11 and 5. A relationship between two targeted nodes belongs to the
 * first chunk that reads it: that chunk publishes it and updates the keep-lists of both ends, so they never disagree.
 */
export async function writeRelationships(work: Work, chunk: Chunk, type: RelationshipType): Promise<void> {
  const done = new Set<InternalId>()
  let batch = new RelationshipBatch(work)
  for await (const { rows, isOpen } of readRelationships(work, chunk.nodes, type)) {
    const seen = look(work, chunk, type, rows, done)
    await work.uniqueness.check(work.plan.skips)
    await publish(work, type, seen, batch)
    if (isOpen) continue
    await batch.write()
    batch = new RelationshipBatch(work)
  }
}

/**
 * Selects the relationships to publish. `done` are the nodes whose relationships were in earlier groups. A relationship
 * created to such a node since then is left out: a parallel one may have been published, and the result would depend on
 * the order of replay.
 */
function look(
  work: Work,
  chunk: Chunk,
  type: RelationshipType,
  rows: readonly RelationshipRow[],
  done: Set<InternalId>,
): Seen[] {
  const { plan } = work
  const seen: Seen[] = []
  // Relationships that may occur in this group again, read from their other end.
  const known = new Set<InternalId>()
  const nodes = new Set<InternalId>()
  for (const row of rows) {
    const near = chunk.identities.get(row.node)
    const { position, identity } = placeOf(work, row)
    const isGone = near === undefined && !chunk.skipped.has(row.node)
    if (isGone) continue
    nodes.add(row.node)
    const farTarget = type.direction === 'both' && position !== -1 ? farTargetOf(chunk, row, position) : null
    const isEarlier = farTarget !== null && (position < chunk.start || done.has(farTarget.node))
    if (isEarlier || known.has(row.relationship)) continue
    if (farTarget !== null && position < chunk.start + chunk.nodes.length) known.add(row.relationship)
    if (keepsById(work)) {
      const isKept = keepById(work, type, row, farTarget)
      if (!isKept) skip(work, type, row, farTarget)
      if (!isKept || !plan.publishesRelationships) continue
    }
    const far = near ? identify(work, row.far, row.farKeys, identity) : null
    if (near && far && idOf(work, type, row)) seen.push({ row, near, far, farTarget })
    else skip(work, type, row, farTarget)
  }
  for (const node of nodes) done.add(node)
  return seen
}

/**
 * Position of the far end among the targets, or -1: by internal id, or by identity if the node was recreated since the
 * targets were selected. Either way, the cleanup of that identity covers the relationship too.
 */
function placeOf({ plan, targets, positions }: Work, { far, farKeys }: RelationshipRow) {
  const position = targets.nodes.positionOf(far)
  if (position !== -1 || positions === null) return { position }
  const identity = identityOf(plan.identity, farKeys)
  return { position: 'problem' in identity ? -1 : positions.of(identity), identity }
}

function farTargetOf({ start, nodes }: Chunk, row: RelationshipRow, position: number): FarTarget | null {
  const node = nodes[position - start] ?? row.far
  return node === row.node ? null : { node, position }
}

async function publish(work: Work, type: RelationshipType, seen: readonly Seen[], batch: RelationshipBatch) {
  for (const { row, near, far, farTarget } of seen) {
    if (work.uniqueness.isDuplicate(far)) {
      skip(work, type, row, farTarget)
      continue
    }
    if (work.plan.cleanup === 'byFarEnd') keepByFarEnd(work, type, row, near, far, farTarget)
    const [start, end] = row.isOutgoing ? [near, far] : [far, near]
    // To `MERGE`, a recreated node is the same node.
    const farNode = farTarget?.node ?? row.far
    const nodes = row.isOutgoing ? ([row.node, farNode] as const) : ([farNode, row.node] as const)
    const again = batch.add(row.relationship, nodes, { start, type: type.type, end }, row.properties)
    if (again) await again
  }
}

/** Skips a relationship, and the cleanups at its ends, which would delete it. */
function skip(work: Work, { type }: RelationshipType, row: RelationshipRow, farTarget: FarTarget | null) {
  const { plan, keepLists, laterKeepLists } = work
  noteSkipped(work, 'relationships')
  if (plan.cleanup === 'none') return
  keepLists.suppressCleanup(row.node, type)
  if (farTarget === null) return
  if (laterKeepLists?.isLater(farTarget.position)) laterKeepLists.suppressCleanup(farTarget.position, type)
  else keepLists.suppressCleanup(farTarget.node, type)
}

const keepsById = ({ plan: { cleanup } }: Work) => cleanup === 'byRelationshipId' || cleanup === 'onlyWhereNoneIsLeft'

/** The relationship's own id, or a placeholder if the request names no id property; null if it must be skipped. */
function idOf({ plan }: Work, { type }: RelationshipType, row: RelationshipRow): Rendered | null {
  if (plan.relationshipIdField === null) return anyId
  return relationshipIdOf(plan, row.relationship, type, plan.relationshipIdField, row.properties)
}

function keepByFarEnd(
  { keepLists, laterKeepLists }: Work,
  { type }: RelationshipType,
  row: RelationshipRow,
  near: Identity,
  far: Identity,
  farTarget: FarTarget | null,
) {
  const [here, there] = row.isOutgoing ? (['out', 'in'] as const) : (['in', 'out'] as const)
  keepLists.keepFarEnd(row.node, type, here, far)
  if (farTarget === null) return
  if (laterKeepLists?.isLater(farTarget.position)) {
    laterKeepLists.keepFarEnd(farTarget.position, type, there, row.node)
  } else keepLists.keepFarEnd(farTarget.node, type, there, near)
}

/** Keeps the ids with `relationshipIdField`; without it (`relationshipDeleteOnly`), only that a relationship exists. */
function keepById(work: Work, type: RelationshipType, row: RelationshipRow, farTarget: FarTarget | null): boolean {
  const { plan, keepLists, laterKeepLists } = work
  const field = plan.relationshipIdField ?? ''
  const id = plan.cleanup === 'onlyWhereNoneIsLeft' ? anyId : idOf(work, type, row)
  if (id === null) return false
  keepLists.keepId(row.node, type.type, field, id)
  if (farTarget === null) return true
  if (laterKeepLists?.isLater(farTarget.position)) {
    if (id === anyId) laterKeepLists.keepSome(farTarget.position, type.type)
    else laterKeepLists.keepId(farTarget.position, type.type, id)
  } else keepLists.keepId(farTarget.node, type.type, field, id)
  return true
}
