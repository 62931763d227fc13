import { byCodePoint } from '../../cypher/identifiers.ts'
import type { PublishRequest } from './fields.ts'
import { type IdentityRule, identityRule, idPropertyOf } from './identity.ts'
import { mergeRelationshipTypes, type RelationshipType } from './relationship-types.ts'

/** How stale relationships are found: by far end, by own id, or all of a type where the origin has none left. */
export type CleanupKind = 'none' | 'byFarEnd' | 'byRelationshipId' | 'onlyWhereNoneIsLeft'

/** What one request asks to read and write, as plain data: all that the pipeline knows about the request. */
export interface Plan {
  identity: IdentityRule
  mappedIndices: Readonly<Record<string, string>>
  /** Label and id property of the origin ids. */
  index: { label: string; idProperty: string }
  originIds: readonly string[]
  relationshipIds: readonly string[]
  requiresBothEnds: boolean
  toLayer: readonly RelationshipType[]
  targetFilter: string | null
  relationships: readonly RelationshipType[]
  relationshipIdField: string | null
  /** Leave out and count what cannot be published, rather than fail. */
  skips: boolean
  publishesNodes: boolean
  publishesRelationships: boolean
  cleanup: CleanupKind
  /** Sorted and distinct, as are the next two. */
  deletedProperties: readonly string[]
  protectedNodeProperties: readonly string[]
  protectedRelationshipProperties: readonly string[]
  dynamicLabels: ReadonlyMap<string, readonly string[]>
  /** Which elements are stamped with the packet's timestamp, in their own upserts or by the postback packet. */
  timestamp: { property: string; stampsRelationships: boolean; postback: boolean } | null
  search: { idField: string; filter: string | null; prevented: readonly string[] } | null
}

/** Seed, Publish request; contract 4. */
export function planOf(request: PublishRequest): Plan {
  const { mappedIndices } = request
  const deletesOnly = request.relationshipDeleteOnly === true
  return {
    identity: identityRule(mappedIndices, request.numbers),
    mappedIndices,
    index: originIndex(request),
    originIds: [...new Set(request.originIds)],
    relationshipIds: [...new Set(request.relationshipIds)],
    requiresBothEnds: request.hardFilterRelationships === true,
    toLayer: request.toLayer ?? [],
    targetFilter: request.targetFilter ?? null,
    relationships: mergeRelationshipTypes(request.relationships ?? []),
    relationshipIdField: request.relationshipIdField ?? null,
    skips: request.onUnpublishable === 'skip',
    publishesNodes: request.metadata === true && !deletesOnly,
    publishesRelationships: !deletesOnly,
    cleanup: cleanupOf(request),
    deletedProperties: sorted(request.deleteProperties),
    protectedNodeProperties: sorted(request.protectedNodeProperties),
    protectedRelationshipProperties: sorted(request.protectedRelationshipProperties),
    dynamicLabels: new Map(Object.entries(request.dynamicLabels ?? {})),
    timestamp: timestampOf(request),
    search: searchOf(request),
  }
}

/** The label of a request's origin ids, and that label's id property. Contract 4.3. */
export function originIndex({ mappedIndices, index }: Pick<PublishRequest, 'mappedIndices' | 'index'>): Plan['index'] {
  const label = index ?? (mappedIndices.DEFAULT_INDEX as string)
  return { label, idProperty: idPropertyOf(mappedIndices, label) ?? (mappedIndices.DEFAULT_ID_FIELD as string) }
}

const sorted = (names: readonly string[] | undefined) => [...new Set(names)].sort(byCodePoint)

/** Contract 4.11 and 4.12. */
function cleanupOf(request: PublishRequest): CleanupKind {
  if (request.preventCleanup === true) return 'none'
  if (request.relationshipDeleteOnly) {
    return request.relationshipIdField === undefined ? 'onlyWhereNoneIsLeft' : 'byRelationshipId'
  }
  return request.deleteRelationshipById ? 'byRelationshipId' : 'byFarEnd'
}

/** Contract 4.16 and 4.17: `timestampProperty` is ignored unless an option that uses it is on. */
function timestampOf({
  timestampProperty,
  timestampRelationships,
  postbackTimestamp,
}: PublishRequest): Plan['timestamp'] {
  const [stampsRelationships, postback] = [timestampRelationships === true, postbackTimestamp === true]
  if (timestampProperty === undefined || !(stampsRelationships || postback)) return null
  return { property: timestampProperty, stampsRelationships, postback }
}

/** Contract 4.18. */
function searchOf({ searchIdField, searchFilter, preventSearch }: PublishRequest): Plan['search'] {
  if (searchIdField === undefined) return null
  return { idField: searchIdField, filter: searchFilter ?? null, prevented: preventSearch ?? [] }
}
