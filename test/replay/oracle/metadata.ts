import neo4j, { type DateTime, type Duration, type Point } from 'neo4j-driver'
import type { Pair } from '../../../packet/parts/parse-part.ts'
import type { Request } from '../generator/requests.ts'
import { cleanups, nodeKeys } from './packet-operations.ts'
import { isWritten, nodeAt, type Plan, relationshipAt, unwritableNodeKeys, unwritableRelationshipKeys } from './plan.ts'

interface Metadata {
  qa: {
    mappedIndices: Record<string, string>
    relationshipIdField: string | null
    relationships: string[]
    nodes: Record<string, Record<string, string[]>>
  }
  postback?: { statements: Pair[] }
  updatedIds?: string[]
  missing?: { originIds: string[]; relationshipIds: string[] }
  skipped?: Record<'nodes' | 'relationships' | 'properties' | 'cleanups', bigint>
  collapsed?: bigint
}

/** The metadata of a packet's parts. Contract 5, result metadata. */
export const metadataOf = (parts: readonly (readonly Pair[])[]): Metadata[] =>
  parts.flatMap((pairs) => (pairs.at(-1)?.metadata ?? []) as unknown as Metadata[])

export const postbackIn = (parts: readonly (readonly Pair[])[]): Pair[] =>
  metadataOf(parts).flatMap(({ postback }) => postback?.statements ?? [])

/** The combined metadata of all parts, as lines to compare with `expectedMetadata`. */
export function reportedMetadata(parts: readonly (readonly Pair[])[], requests: readonly Request[]): string[] {
  const isSingle = requests.length === 1
  const reported = metadataOf(parts)
  const skipped = (what: 'nodes' | 'relationships' | 'properties' | 'cleanups') =>
    reported.reduce((sum, { skipped: it }) => sum + Number(it?.[what] ?? 0), 0)
  return [
    ...set(
      'updated',
      reported.flatMap(({ updatedIds = [] }) => updatedIds),
    ),
    ...set(
      'missing origin id',
      reported.flatMap(({ missing }) => missing?.originIds ?? []),
    ),
    ...set(
      'missing relationship id',
      reported.flatMap(({ missing }) => missing?.relationshipIds ?? []),
    ),
    ...set(
      'type',
      reported.flatMap(({ qa }) => qa.relationships),
    ),
    ...set(
      'published',
      reported.flatMap(({ qa }) =>
        Object.entries(qa.nodes).flatMap(([key, nodes]) =>
          Object.entries(nodes).flatMap(([id, names]) => names.map((name) => `${key} ${plain(id)} ${name}`)),
        ),
      ),
    ),
    ...(isSingle
      ? [
          `skipped: ${skipped('nodes')} nodes, ${skipped('cleanups')} cleanups`,
          // Neither document defines the count of skipped relationships for deletion-only requests.
          `skipped relationships: ${requests[0]?.relationshipDeleteOnly ? 0 : skipped('relationships')}`,
          `skipped properties: ${skipped('properties')}`,
          `collapsed: ${reported.reduce((sum, { collapsed }) => sum + Number(collapsed ?? 0), 0)}`,
        ]
      : []),
  ]
}

/** The same lines as the contract requires them. */
export function expectedMetadata(plans: readonly Plan[]): string[] {
  const isSingle = plans.length === 1
  const upserted = (plan: Plan) =>
    plan.publishesNodes ? plan.selection.targeted.filter((index) => plan.identities[index] !== null) : []
  return [
    ...set('updated', plans.flatMap(searchIds)),
    ...set(
      'missing origin id',
      plans.flatMap(({ selection }) => selection.missingOriginIds),
    ),
    ...set(
      'missing relationship id',
      plans.flatMap(({ selection }) => selection.missingRelationshipIds),
    ),
    ...set('type', plans.flatMap(typesIn)),
    ...set(
      'published',
      plans.flatMap((plan) =>
        upserted(plan).flatMap((index) => {
          const { key = '', value } = plan.identities[index] ?? {}
          return nodeKeys(plan, index).map((name) => `${key} ${plain(idText(value))} ${name}`)
        }),
      ),
    ),
    ...(isSingle ? plans.flatMap(counts) : []),
  ]
}

const set = (name: string, values: readonly string[]) => [...new Set(values)].sort().map((value) => `${name}: ${value}`)

/** An id as text; one that is neither string nor number is rendered as its parameter. */
function idText(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map((element) => (typeof element === 'string' ? JSON.stringify(element) : numberText(element))).join(',')}]`
  }
  if (neo4j.isDuration(value as object)) {
    const { months, days, seconds, nanoseconds } = value as Duration
    return `{"months":${months},"days":${days},"seconds":${seconds},"nanoseconds":${nanoseconds}}`
  }
  if (neo4j.isPoint(value as object)) {
    const { srid, x, y } = value as Point
    return `{"srid":${srid},"x":${numberText(x)},"y":${numberText(y)}}`
  }
  if (neo4j.isDateTime(value as object)) {
    const { year, month, day, hour, timeZoneOffsetSeconds, timeZoneId } = value as DateTime<bigint>
    const local = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour)) / 1_000
    return `{"epochSeconds":${local - Number(timeZoneOffsetSeconds)},"nanosecond":0,"timezone":"${timeZoneId}"}`
  }
  return `${value}`
}

const numberText = (value: unknown) => (Number.isInteger(value) ? `${value}.0` : `${value}`)

/** 5.0 and 5 are the same identity. */
const plain = (id: string) => id.replace(/\.0$/, '')

function searchIds(plan: Plan): string[] {
  const { searchIdField, searchFilter, preventSearch = [] } = plan.request
  if (searchIdField === undefined) return []
  return plan.selection.targeted.flatMap((index) => {
    const { labels, properties } = nodeAt(plan, index)
    const isSearched = searchFilter === undefined || labels.includes(searchFilter)
    const isPrevented = preventSearch.some((label) => labels.includes(label))
    const id = properties[searchIdField]
    return plan.identities[index] !== null && isSearched && !isPrevented && id !== undefined ? [`${id}`] : []
  })
}

const typesIn = (plan: Plan): string[] => [
  ...plan.candidates.filter((index) => isWritten(plan, index)).map((index) => relationshipAt(plan, index).type),
  ...cleanups(plan).flatMap(({ operation }) => (operation?.kind === 'cleanup' ? [operation.type] : [])),
]

function counts(plan: Plan): string[] {
  const { publishesNodes, publishesRelationships, cleanup, selection, candidates, identities } = plan
  const isAboutNodes = publishesNodes || publishesRelationships || cleanup !== 'none'
  const nodes = isAboutNodes ? selection.targeted.filter((index) => identities[index] === null) : []
  const written = candidates.filter((index) => isWritten(plan, index))
  const skipped = candidates.filter((index) => !isWritten(plan, index) && !plan.collapsed.has(index))
  const properties = [
    ...(publishesNodes ? selection.targeted : [])
      .filter((index) => identities[index] !== null)
      .map((index) => unwritableNodeKeys(plan, index).length),
    ...written.map((index) => unwritableRelationshipKeys(plan, index).length),
  ]
  const leftOut = cleanups(plan).filter(({ operation }) => operation === null)
  return [
    `skipped: ${nodes.length} nodes, ${leftOut.length} cleanups`,
    `skipped relationships: ${skipped.length}`,
    `skipped properties: ${properties.reduce((sum, count) => sum + count, 0)}`,
    `collapsed: ${candidates.filter((index) => plan.collapsed.has(index)).length}`,
  ]
}
