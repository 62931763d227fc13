import { type Identity, idText } from '../../../packet/identity.ts'
import { isPublishable, type Kind } from '../../../packet/packstream/kinds.ts'
import type { OnPair } from '../../../packet/parts/packet-writer.ts'
import type { Properties } from '../../origin/properties.ts'
import type { InternalId } from '../../read/internal-ids.ts'
import { identityLabel, identityOf, type NodeKeys } from '../../request/identity.ts'
import type { Plan } from '../../request/plan.ts'
import { describeNode } from '../pairs/node-upserts.ts'
import { describeRelationship } from '../pairs/relationship-upserts.ts'
import type { OpenOrigin } from './origins.ts'

/** A node or relationship of the origin that cannot be published, or not completely. */
export interface Unpublishable {
  what: 'node' | 'relationship'
  /** The label that identifies the node; null if none does, and for a relationship. */
  label: string | null
  /** The type of the relationship. */
  type: string | null
  id: string | null
  /** The element as errors name it; null for an id that several nodes share. */
  element: string | null
  reason: string
}

/** What a dry run learns about a build, in addition to its parts. An observer never changes the build. */
export interface BuildObserver {
  pair: OnPair
  /** Called for each sub-request, before any of it is written. */
  selected(count: { origin: number; targeted: number }): void
  /** Called for each published node, by its identifying label, and each published relationship (null). */
  masked(label: string | null, properties: Properties): void
  /** Called for each published relationship. */
  relationship(type: string): void
  /** Called for a node that the sub-request does not target, at the end of a published relationship. */
  farEnd(node: InternalId): void
  unpublishable(origin: string, it: Unpublishable): void
  /** Called for each node that a pair may name, also more than once. */
  identified(identity: Identity): void
  /** Called after each sub-request, while its origin is open. */
  written(plan: Plan, origin: Pick<OpenOrigin, 'origin' | 'uniqueness'>): Promise<void>
}

export interface Observed {
  plan: Plan
  observer?: BuildObserver | undefined
}

/** Reports a node that cannot be published as it is. */
export function observeNode({ plan, observer }: Observed, node: InternalId, keys: NodeKeys, reason: string): void {
  if (!observer) return
  const identity = identityOf(plan.identity, keys)
  observer.unpublishable(plan.origin, {
    what: 'node',
    label: identityLabel(plan.identity, keys.labels, keys.properties.unmasked.text('index')),
    type: null,
    id: 'problem' in identity ? null : idText(identity.id),
    element: describeNode(node, keys),
    reason,
  })
}

/** Reports a relationship that cannot be published as it is. */
export function observeRelationship(
  { plan, observer }: Observed,
  relationship: InternalId,
  type: string,
  properties: Properties,
  reason: string,
): void {
  if (!observer) return
  const index = plan.relationshipIdField === null ? -1 : properties.shape.indexOf(plan.relationshipIdField)
  const isNamed = index !== -1 && isPublishable(properties.shape.kinds[index] as Kind)
  observer.unpublishable(plan.origin, {
    what: 'relationship',
    label: null,
    type,
    id: isNamed ? idText(properties.rendered(index, 'plain')) : null,
    element: describeRelationship(relationship, type),
    reason,
  })
}

/** What to do with an id that several nodes share: report it and leave it out, or fail the publish (null). */
export const onDuplicate = ({ plan, observer }: Observed) =>
  plan.skips
    ? (label: string, id: string | null, reason: string) =>
        observer?.unpublishable(plan.origin, { what: 'node', label, type: null, id, element: null, reason })
    : null
