import { type IdentityRule, identityRule, idPropertyOf } from './identity.ts'
import { mergeRelationshipTypes, type RelationshipType } from './relationship-types.ts'
import type { PublishRequest } from './request.ts'

/** What one request asks to be read and written: pure, and all that the pipeline knows of the request. */
export interface Plan {
  identity: IdentityRule
  /** Label and id property of the origin ids. */
  index: { label: string; idProperty: string }
  originIds: readonly string[]
  toLayer: readonly RelationshipType[]
  targetFilter: string | null
  relationships: readonly RelationshipType[]
  publishesNodes: boolean
  cleansUp: boolean
  mappedIndices: Readonly<Record<string, string>>
}

/** Seed, Publish request; contract 4.3 to 4.11. */
export function planOf(request: PublishRequest): Plan {
  const { mappedIndices } = request
  const label = request.index ?? (mappedIndices.DEFAULT_INDEX as string)
  return {
    identity: identityRule(mappedIndices),
    index: { label, idProperty: idPropertyOf(mappedIndices, label) ?? (mappedIndices.DEFAULT_ID_FIELD as string) },
    originIds: [...new Set(request.originIds)],
    toLayer: request.toLayer ?? [],
    targetFilter: request.targetFilter ?? null,
    relationships: mergeRelationshipTypes(request.relationships ?? []),
    publishesNodes: request.metadata === true,
    cleansUp: request.preventCleanup !== true,
    mappedIndices,
  }
}

/** The fields that ask for something this version does not do yet. */
export function notImplemented(request: PublishRequest): string[] {
  const lists = [
    'relationshipIds',
    'deleteProperties',
    'protectedNodeProperties',
    'protectedRelationshipProperties',
    'preventSearch',
  ] as const
  const flags = [
    'hardFilterRelationships',
    'timestampRelationships',
    'relationshipDeleteOnly',
    'deleteRelationshipById',
    'postbackTimestamp',
  ] as const
  const fields: string[] = []
  for (const field of lists) if ((request[field]?.length ?? 0) > 0) fields.push(field)
  for (const field of flags) if (request[field] === true) fields.push(field)
  for (const field of ['relationshipIdField', 'searchIdField', 'searchFilter'] as const) {
    if (request[field] !== undefined) fields.push(field)
  }
  if (Object.keys(request.dynamicLabels ?? {}).length > 0) fields.push('dynamicLabels')
  if (request.onUnpublishable === 'skip') fields.push('onUnpublishable')
  if (request.numbers === 'strict') fields.push('numbers')
  return fields
}
