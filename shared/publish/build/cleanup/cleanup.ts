import type { Identity } from '../../../packet/identity.ts'
import type { RelationshipType } from '../../../packet/kinds/cleanup.ts'
import type { WrittenPair } from '../../../packet/pair.ts'
import type { PairMaker } from '../../../packet/pair-maker.ts'
import type { IdList } from '../../read/internal-ids.ts'
import type { Plan } from '../../request/plan.ts'
import type { Chunk } from '../chunk.ts'
import { createIdentityPositions, type IdentityPositions } from './identity-positions.ts'
import { kinds, type ReadRelationship } from './kinds.ts'
import { createMarks } from './marks.ts'

/** Removes relationships that the origin no longer has from a request's targeted nodes. Contract 4.11, 4.12. */
export interface RequestCleanup {
  /**
   * Positions of the targets read so far; null if no cleanup at one end of a relationship could conflict with its
   * upsert at the other end.
   */
  readonly positions: IdentityPositions | null
  /** Called for each chunk before its relationships are read. */
  open(chunk: Chunk): void
  /** Keeps a relationship that was read. @returns false if it must be skipped because it lacks what identifies it. */
  keepRead(relationship: ReadRelationship): boolean
  /** Keeps a relationship that is published. */
  keepPublished(relationship: ReadRelationship, near: Identity, far: Identity): void
  /** Leaves out the cleanups at both ends of a relationship that is skipped: they would delete it. */
  suppress(relationship: ReadRelationship): void
  /** The pair that removes a node's stale relationships of a type; null if there is nothing to remove. Call once. */
  pairFor(position: number, identity: Identity, type: RelationshipType): WrittenPair | 'suppressed' | null
}

const none: RequestCleanup = {
  positions: null,
  open() {},
  keepRead: () => true,
  keepPublished() {},
  suppress() {},
  pairFor: () => null,
}

export function createCleanup(plan: Plan, pairs: PairMaker, targets: IdList): RequestCleanup {
  if (plan.cleanup === 'none') return none
  // Relationships of a type that is followed in one direction are cleaned up at one end only.
  const meets = plan.relationships.some(({ direction }) => direction === 'both')
  const positions = meets ? createIdentityPositions(targets.length) : null
  const suppressed = createMarks()
  const kept = kinds[plan.cleanup]({ plan, pairs, length: targets.length, positions })
  return {
    positions,
    open({ start, nodes, identities }) {
      for (const [index, node] of nodes.entries()) {
        const identity = identities.get(node)
        if (identity) positions?.add(identity, start + index)
      }
      suppressed.dropBefore(start)
      kept.open(start, start + nodes.length)
    },
    keepRead: kept.keepRead,
    keepPublished: kept.keepPublished,
    suppress({ position, farPosition, type }) {
      suppressed.add(position, type.type)
      if (farPosition !== null) suppressed.add(farPosition, type.type)
    },
    pairFor: (position, identity, type) =>
      suppressed.has(position, type.type) ? 'suppressed' : kept.pairFor(position, identity, type),
  }
}
