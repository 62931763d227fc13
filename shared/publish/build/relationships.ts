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

/** The far end, where it is another targeted node and its own cleanup speaks of the relationship too. */
interface FarTarget {
  node: InternalId
  /** Among the targets. */
  position: number
}

/**
 * An upsert for each relationship of a type at the chunk's nodes, and what cleanup must keep, from the same rows.
 * Seed, `relationships`; contract 4.8, 4.11 and 5. A relationship between two targeted nodes belongs to the chunk that
 * sees it first: that one publishes it and tells the keep-lists of both ends, so that they never disagree.
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
 * Those to be published. `done` are the nodes whose relationships earlier groups had: one that is drawn to such a node
 * since then is left out, or a parallel one may have been published, and the order of replay would decide.
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
  // Those of this group that may be in it again, from their other end.
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
 * Where the far end stands among the targets, -1 for nowhere: by its internal id, or by its identity if it was made anew
 * since the targets were found. Either way the cleanup of that identity speaks of the relationship too.
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
    // A node that was made anew is, to MERGE, the one it was.
    const farNode = farTarget?.node ?? row.far
    const nodes = row.isOutgoing ? ([row.node, farNode] as const) : ([farNode, row.node] as const)
    const again = batch.add(row.relationship, nodes, { start, type: type.type, end }, row.properties)
    if (again) await again
  }
}

/** Leaves a relationship out, and with it the cleanup at its ends, which would delete it. */
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

/** The relationship's own id where the request names one; null for one that must be skipped for want of it. */
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

/** With `relationshipIdField` the ids are kept; without it (`relationshipDeleteOnly`) only that there is a relationship. */
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
