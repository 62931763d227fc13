import { equalIds, type Graph, type Node, type Relationship } from '../generator/graph.ts'
import type { Request } from '../generator/requests.ts'
import type { Identity } from './identities.ts'
import { identityOf } from './identities.ts'
import { type Followed, followed, relationshipsAt, type Selection, select } from './select.ts'

/** A request resolved against its origin: what it publishes, what is unpublishable, what it cleans up. */
export interface Plan {
  origin: Graph
  request: Request
  selection: Selection
  skips: boolean
  identities: readonly (Identity | null)[]
  publishesNodes: boolean
  publishesRelationships: boolean
  /** Cleanup keeps relationships by id, far end or both, or only deletes types with no relationship left. */
  cleanup: 'none' | 'by id' | 'by end' | 'by end and id' | 'nothing left'
  specs: readonly Followed[]
  /** Positions of relationships to publish, including unpublishable and parallel ones. */
  candidates: readonly number[]
  /** Positions of candidates that are collapsed into a parallel one. */
  collapsed: ReadonlySet<number>
}

export function planOf(origin: Graph, elementIds: readonly string[], request: Request): Plan {
  const { relationships = [], relationshipIdField, deleteRelationshipById = false } = request
  const deletesOnly = request.relationshipDeleteOnly === true
  const selection = select(origin, request)
  const specs = relationships.map(followed)
  const atTargeted = selection.targeted.flatMap((node) => specs.flatMap((spec) => relationshipsAt(origin, node, spec)))
  const candidates = deletesOnly ? [] : [...new Set([...selection.named, ...atTargeted])]
  const keepsById = deleteRelationshipById || (deletesOnly && relationshipIdField !== undefined)
  const keepsByEnd = relationshipIdField === undefined ? 'by end' : 'by end and id'
  const isClean = specs.length === 0 || request.preventCleanup === true
  const plan: Plan = {
    origin,
    request,
    selection,
    skips: request.onUnpublishable === 'skip',
    identities: origin.nodes.map((node) => identityOf(origin, node, request.mappedIndices)),
    publishesNodes: request.metadata === true && !deletesOnly,
    publishesRelationships: !deletesOnly && (specs.length > 0 || (request.relationshipIds ?? []).length > 0),
    cleanup: isClean ? 'none' : keepsById ? 'by id' : deletesOnly ? 'nothing left' : keepsByEnd,
    specs,
    candidates,
    collapsed: new Set(),
  }
  const sound = candidates.filter((index) => endsAreFound(plan, index) && hasItsId(plan, index))
  const isReplaced = (index: number) =>
    sound.some((other) => replaces(origin, elementIds, relationshipIdField, other, index))
  return { ...plan, collapsed: new Set(sound.filter(isReplaced)) }
}

/** Of indistinguishable parallel relationships, the one with the smallest element id, as text, is published. */
function replaces(
  { relationships }: Graph,
  elementIds: readonly string[],
  idField: string | undefined,
  winner: number,
  loser: number,
): boolean {
  const [a, b] = [relationships[winner] as Relationship, relationships[loser] as Relationship]
  const areParallel = a.type === b.type && a.from === b.from && a.to === b.to
  const areAlike = idField === undefined || equalIds(a.properties[idField], b.properties[idField])
  return areParallel && areAlike && (elementIds[winner] as string) < (elementIds[loser] as string)
}

export const nodeAt = ({ origin }: Plan, index: number) => origin.nodes[index] as Node
export const relationshipAt = ({ origin }: Plan, index: number) => origin.relationships[index] as Relationship
export const isBytes = (value: unknown) => value instanceof Int8Array

export const endsAreFound = ({ identities, ...plan }: Plan, index: number): boolean => {
  const { from, to } = plan.origin.relationships[index] as Relationship
  return identities[from] !== null && identities[to] !== null
}

/** Whether a relationship has a usable id, if the request names an id property. */
export function hasItsId({ request, ...plan }: Plan, index: number): boolean {
  const { relationshipIdField } = request
  if (relationshipIdField === undefined) return true
  const id = plan.origin.relationships[index]?.properties[relationshipIdField]
  return id !== undefined && !Number.isNaN(id) && !isBytes(id)
}

/** Published properties whose value cannot be written because it is a byte array. */
export function unwritableNodeKeys({ request, ...plan }: Plan, index: number): string[] {
  const { protectedNodeProperties = [], deleteProperties = [] } = request
  return Object.entries(plan.origin.nodes[index]?.properties ?? {}).flatMap(([key, value]) =>
    isBytes(value) && !protectedNodeProperties.includes(key) && !deleteProperties.includes(key) ? [key] : [],
  )
}

export function unwritableRelationshipKeys({ request, ...plan }: Plan, index: number): string[] {
  const { protectedRelationshipProperties = [] } = request
  return Object.entries(plan.origin.relationships[index]?.properties ?? {}).flatMap(([key, value]) =>
    isBytes(value) && !protectedRelationshipProperties.includes(key) && key !== stampedKey(request) ? [key] : [],
  )
}

export const stampedKey = ({ timestampRelationships, timestampProperty }: Request): string | undefined =>
  timestampRelationships ? timestampProperty : undefined

/** Whether a relationship is written: its ends and id are valid, and it is not collapsed into a parallel one. */
export const isWritten = (plan: Plan, index: number): boolean =>
  endsAreFound(plan, index) && hasItsId(plan, index) && !plan.collapsed.has(index)
