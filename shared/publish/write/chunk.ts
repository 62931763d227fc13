import type { Identity } from '../../../packet/identity.ts'
import type { InternalId } from '../../read/internal-ids.ts'
import type { NodeRow } from '../../read/nodes.ts'

/** Nodes, some of which can be published. */
export interface IdentifiedNodes {
  /** Identities of the nodes that can be published. */
  identities: ReadonlyMap<InternalId, Identity>
  /** The nodes that cannot be published. */
  skipped: ReadonlySet<InternalId>
  /** Ids for search indexing, of the nodes that take part in it. */
  searchIds: ReadonlyMap<InternalId, string>
}

/** Targeted nodes that are read together. */
export interface Chunk extends IdentifiedNodes {
  /** Position of the first node among the targets. */
  start: number
  nodes: readonly InternalId[]
  /** Their rows, in the same order; nodes that no longer exist have none. */
  rows: readonly NodeRow[]
}
