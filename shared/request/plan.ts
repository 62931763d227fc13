import { byCodePoint } from '../../packet/cypher/identifiers.ts'
import type { RelationshipType } from '../../packet/kinds/cleanup.ts'
import type { PublishRequest } from './fields.ts'
import { type IdentityRule, identityRule, idPropertyOf } from './identity.ts'
import { type Masking, maskingOf } from './mask/masking.ts'
import { dividedTypes, type EveryType, mergeRelationshipTypes } from './relationship-types.ts'
import { type NodeSelector, selectorsOf } from './select.ts'

/** How stale relationships are found: by far end, own id or both, or all of a type if the origin has none left at a node. */
export type CleanupKind = 'none' | 'byFarEnd' | 'byFarEndAndId' | 'byRelationshipId' | 'onlyWhereNoneIsLeft'

/** What one request asks to read and write, as plain data: all that the pipeline knows about the request. */
export interface Plan {
  /** The `originName` of the request. */
  origin: string
  identity: IdentityRule
  mappedIndices: Readonly<Record<string, string>>
  /** Label and id property of the origin ids. */
  index: { label: string; idProperty: string }
  /** The nodes to start from, if they are selected by label; null if `originIds` or `relationshipIds` name them. */
  selectors: readonly NodeSelector[] | null
  /** As requested: some may be repeated, here and among the relationship ids. */
  originIds: readonly string[]
  relationshipIds: readonly string[]
  requiresBothEnds: boolean
  toLayer: readonly RelationshipType[]
  targetFilter: string | null
  relationships: readonly RelationshipType[]
  /** How every other type of the origin is followed; null if it is not, or if `withEveryType` has listed them. */
  everyType: EveryType['direction'] | null
  relationshipIdField: string | null
  /** Leave out and count what cannot be published, rather than fail. */
  skips: boolean
  /** What to do with elements that break the model; null without a model. */
  onModelViolation: 'fail' | 'report' | 'omit' | null
  publishesNodes: boolean
  publishesRelationships: boolean
  cleanup: CleanupKind
  /** Whether the relationships of origin ids that the origin does not have are removed, too. */
  cleansMissing: boolean
  /** Sorted and distinct, as are the next two. */
  deletedProperties: readonly string[]
  protectedNodeProperties: readonly string[]
  protectedRelationshipProperties: readonly string[]
  dynamicLabels: ReadonlyMap<string, readonly string[]>
  /** Which elements are stamped with the packet's timestamp, in their own upserts or by the postback packet. */
  timestamp: { property: string | null; stampsRelationships: boolean; postback: boolean }
  /** How properties are masked; null: they are not. */
  masking: Masking | null
  search: { idField: string; filter: string | null; prevented: readonly string[] } | null
}

/**
 * Determines what a request means: later stages take the meaning of its options from the plan. Seed, Publish request;
 * contract 4. Accepts a request that breaks rules, too: the sub-requests of a multi are compared even if some of them
 * are invalid.
 */
export function planOf(request: PublishRequest): Plan {
  const { mappedIndices = {}, originIds = [], relationshipIds = [], toLayer = [] } = request
  const { searchIdField: idField, preventSearch = [] } = request
  const [stampsRelationships, postback] = [request.timestampRelationships === true, request.postbackTimestamp === true]
  const { named: relationships, every: everyType } = dividedTypes(request.relationships ?? [])
  const deletesOnly = request.relationshipDeleteOnly === true
  const targetFilter = request.targetFilter ?? null
  const cleanup = cleanupOf(request)
  const identity = identityRule(mappedIndices, request.numbers, request.parameterSyntax)
  const hasTypes = relationships.length > 0 || everyType !== null
  return {
    origin: originName(request),
    identity,
    mappedIndices,
    index: originIndex(request),
    selectors: request.select ? selectorsOf(request.select, [...identity.idProperties.keys()]) : null,
    originIds,
    relationshipIds,
    requiresBothEnds: request.hardFilterRelationships === true,
    toLayer,
    targetFilter,
    relationships,
    everyType,
    relationshipIdField: request.relationshipIdField ?? null,
    skips: request.onUnpublishable === 'skip',
    onModelViolation: request.model === undefined ? null : (request.onModelViolation ?? 'fail'),
    publishesNodes: request.metadata === true && !deletesOnly,
    publishesRelationships: relationshipIds.length > 0 || (hasTypes && !deletesOnly),
    cleanup,
    // With `toLayer` or a filter, nothing shows that the missing nodes were targeted.
    cleansMissing: cleanup !== 'none' && toLayer.length === 0 && targetFilter === null,
    deletedProperties: sorted(request.deleteProperties),
    protectedNodeProperties: sorted(request.protectedNodeProperties),
    protectedRelationshipProperties: sorted(request.protectedRelationshipProperties),
    dynamicLabels: new Map(Object.entries(request.dynamicLabels ?? {})),
    // `timestampProperty` is ignored unless an option that uses it is on.
    timestamp: {
      property: ((stampsRelationships || postback) && request.timestampProperty) || null,
      stampsRelationships,
      postback,
    },
    masking: maskingOf(request),
    search: idField === undefined ? null : { idField, filter: request.searchFilter ?? null, prevented: preventSearch },
  }
}

/** The plan, once the types of its origin are known. */
export function withEveryType(plan: Plan, types: readonly string[]): Plan {
  const { everyType: direction, relationships } = plan
  if (direction === null) return plan
  const every = types.map((type) => ({ type, direction }))
  return { ...plan, relationships: mergeRelationshipTypes([...relationships, ...every]), everyType: null }
}

/**
 * Identifies an origin: requests with the same name read the same database. Contract 4. The name of a request that
 * gives only a `bolt` URL is that URL. Some servers tell databases apart whose names differ only in case.
 */
export function originName({ dbUrl = '', database }: Partial<PublishRequest>): string {
  const address = dbUrl.replace(/^neo4j/, 'bolt')
  return database === undefined ? address : `${address} ${database}`
}

/** The label of a request's origin ids, and that label's id property. Contract 4.3. */
export function originIndex({ mappedIndices = {}, index }: Partial<PublishRequest>): Plan['index'] {
  const label = index ?? mappedIndices.DEFAULT_INDEX ?? ''
  return { label, idProperty: idPropertyOf(mappedIndices, label) ?? mappedIndices.DEFAULT_ID_FIELD ?? '' }
}

const sorted = (names: readonly string[] | undefined) => [...new Set(names)].sort(byCodePoint)

/** Contract 4.11 and 4.12. */
function cleanupOf(request: PublishRequest): CleanupKind {
  const hasIdField = request.relationshipIdField !== undefined
  if (request.preventCleanup === true) return 'none'
  if (request.relationshipDeleteOnly) return hasIdField ? 'byRelationshipId' : 'onlyWhereNoneIsLeft'
  if (!hasIdField) return 'byFarEnd'
  return request.deleteRelationshipById ? 'byRelationshipId' : 'byFarEndAndId'
}
