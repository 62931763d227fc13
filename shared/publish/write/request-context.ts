import type { PairMaker, PropertyField } from '../../../packet/pair-maker.ts'
import type { PartMetadata, Skipped } from '../../../packet/parts/metadata.ts'
import type { PacketWriter } from '../../../packet/parts/packet-writer.ts'
import type { IdList } from '../../read/internal-ids.ts'
import type { Reading } from '../../read/reading.ts'
import type { RelationshipSchema } from '../../read/schema.ts'
import type { Uniqueness } from '../../read/uniqueness.ts'
import type { ModelRules } from '../../request/model/model-rules.ts'
import type { Plan } from '../../request/plan.ts'
import type { NodeUpserts } from '../pairs/node-upserts.ts'
import type { RelationshipUpserts } from '../pairs/relationship-upserts.ts'
import type { Report } from '../report/report.ts'
import type { PairIndex } from '../state/index-pairs.ts'
import type { RequestCleanup } from './cleanup/cleanup.ts'
import type { ConflictDetector } from './conflicts.ts'
import type { MaskCheck } from './maskable.ts'
import type { BuildObserver } from './observer.ts'
import type { SeenIdentities } from './seen-identities.ts'

/** What the steps of one request share: where it reads, what it asks for, and what keeps the results. */
export interface RequestContext extends Reading {
  /** The nodes to start from, if the request selects them. */
  listed?: IdList | null
  schema: RelationshipSchema
  uniqueness: Uniqueness
  /** How violations name a field of the sub-request: `[3].fileName` in a multi. Contract 7.4. */
  pathOf: (field: string) => string
  conflicts: ConflictDetector
  /** Checks the rules of `mask` and `only`, if there are any. */
  maskCheck?: MaskCheck | undefined
  report: Report
  /** Rules of the model that the publish is bound to, if any. */
  model?: ModelRules | undefined
  pairs: PairMaker
  writer: PacketWriter
  /** Set if the packet may be a base, or has one. */
  index?: PairIndex | null
  /** Set in a dry run. */
  observer?: BuildObserver | undefined
}

/** What the steps that write share, once the request's elements are selected. */
export interface WriteContext extends RequestContext {
  targets: IdList
  seen: SeenIdentities
  cleanup: RequestCleanup
  nodeUpserts: NodeUpserts
  relationshipUpserts: RelationshipUpserts
  /** The packet's timestamp under the plan's property; null if nothing is stamped. */
  stamp: PropertyField | null
}

/** Counts an element that `onUnpublishable: skip` leaves out, in the report and in the part being filled. */
export function countSkipped({ plan, report, writer }: RequestContext, kind: keyof Skipped, count = 1): void {
  for (let index = 0; index < count; index++) {
    report.skipped(kind)
    writer.updateMetadata(withSettings(plan, (metadata) => metadata.skipped(kind)))
  }
}

/** Records requested ids that the origin does not have, masked as the packet would have them. Contract 4.8, 4.24. */
export function reportMissing(
  { plan, report, writer, masker }: RequestContext,
  field: 'originIds' | 'relationshipIds',
  asked: readonly string[],
): void {
  if (asked.length === 0) return
  const { label, idProperty } = plan.index
  const masked = field === 'originIds' ? masker?.missingIds(label, idProperty, asked) : masker?.missingOwnIds(asked)
  const ids = masked ?? asked
  report.missing(field, ids)
  writer.updateMetadata(withSettings(plan, (metadata) => metadata.missing(field, ids)))
}

/** An update of a part's metadata that also adds the settings its pairs were made with. */
export const withSettings =
  (plan: Plan, update: (metadata: PartMetadata) => void) =>
  (metadata: PartMetadata): void => {
    metadata.settings(plan.mappedIndices, plan.relationshipIdField)
    if (plan.timestamp.postback) metadata.postsBack()
    if (plan.search) metadata.searches()
    update(metadata)
  }
