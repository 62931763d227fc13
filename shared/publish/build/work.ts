import type { PairMaker, PropertyField } from '../pairs/pair-maker.ts'
import type { PartMetadata } from '../parts/metadata.ts'
import type { PacketWriter } from '../parts/packet-writer.ts'
import type { Report, Skipped } from '../parts/report.ts'
import type { InternalId } from '../read/internal-ids.ts'
import type { NodeRow } from '../read/nodes.ts'
import type { Reading } from '../read/properties.ts'
import type { RelationshipSchema } from '../read/relationship-schema.ts'
import type { Targets } from '../read/targets.ts'
import type { Uniqueness } from '../read/uniqueness.ts'
import type { Identity } from '../request/identity.ts'
import type { Plan } from '../request/plan.ts'
import type { IdentityPositions } from './cleanup/identity-positions.ts'
import type { KeepLists } from './cleanup/keep-lists.ts'
import type { LaterKeepLists } from './cleanup/later-keep-lists.ts'
import type { ConflictDetector } from './conflicts.ts'

/** What the steps of one request's publish share. */
export interface Work extends Reading {
  pairs: PairMaker
  writer: PacketWriter
  report: Report
  targets: Targets
  /**
   * Positions of the targets read so far; null if no cleanup at one end of a relationship could conflict with its
   * upsert at the other.
   */
  positions: IdentityPositions | null
  uniqueness: Uniqueness
  conflicts: ConflictDetector
  keepLists: KeepLists
  /** null if `positions` is. */
  laterKeepLists: LaterKeepLists | null
  schema: RelationshipSchema
  /** The packet's timestamp under the plan's property; null if nothing is stamped. */
  stamp: PropertyField | null
}

/** Counts an element that `onUnpublishable: skip` leaves out, in the report and in the part being filled. */
export function noteSkipped({ plan, report, writer }: Work, kind: keyof Skipped): void {
  report.skipped(kind)
  writer.note(noted(plan, (metadata) => metadata.skipped(kind)))
}

/** Targeted nodes that are read together; `start` is the position of the first among the targets. */
export interface Chunk {
  start: number
  nodes: readonly InternalId[]
  /** Their rows, in the same order; nodes that no longer exist have none. */
  rows: readonly NodeRow[]
  /** Of the nodes that can be published. */
  identities: ReadonlyMap<InternalId, Identity>
  /** The nodes that cannot be published. */
  skipped: ReadonlySet<InternalId>
  /** Ids for search indexing, of the nodes that take part in it. */
  searchIds: ReadonlyMap<InternalId, string>
}

/** Records in a part's metadata the settings its pairs were made with, then calls `more`. */
export const noted =
  (plan: Plan, more: (metadata: PartMetadata) => void) =>
  (metadata: PartMetadata): void => {
    metadata.settings(plan.mappedIndices, plan.relationshipIdField)
    if (plan.timestamp?.postback) metadata.postsBack()
    if (plan.search) metadata.searches()
    more(metadata)
  }
