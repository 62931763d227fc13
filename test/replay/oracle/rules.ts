import type { Request } from '../generator/requests.ts'
import type { Plan } from './plan.ts'
import type { Refusal } from './refusals.ts'
import { relationshipsAt } from './select.ts'

const refused = (field: string, isSure = true): Refusal => ({ status: 400, names: [field], isSure })

/** Rules between the fields of one request. Seed, Publish options; contract 4.11 to 4.18. */
export function brokenRules(request: Request): Refusal[] {
  const { originIds = [], relationshipIds = [], relationships = [], toLayer = [], mappedIndices } = request
  const { select, deleteProperties = [], protectedNodeProperties = [], protectedRelationshipProperties = [] } = request
  const { DEFAULT_INDEX, DEFAULT_ID_FIELD, ...mapped } = mappedIndices
  const labels = [DEFAULT_INDEX, ...Object.keys(mapped)]
  const idProperties = [DEFAULT_ID_FIELD, ...Object.values(mapped)]
  const overlap = (list: readonly unknown[], others: readonly unknown[]) => list.some((key) => others.includes(key))
  const usesTimestamp = request.timestampRelationships === true || request.postbackTimestamp === true
  const stamp = usesTimestamp ? [request.timestampProperty] : []
  const isEmpty = (list: readonly string[]) => list.length === 0
  const rules: [field: string, isBroken: boolean][] = [
    ['originIds', isEmpty(originIds) && isEmpty(relationshipIds) && select === undefined],
    [
      'select',
      select !== undefined && !(isEmpty(originIds) && isEmpty(relationshipIds) && request.index === undefined),
    ],
    ['select', select?.some(({ label }) => label !== '*' && !labels.includes(label)) === true],
    ['originIds', request.hardFilterRelationships === true && isEmpty(originIds) && select === undefined],
    ['toLayer', !isEmpty(toLayer) && !isEmpty(relationshipIds)],
    ['relationships', !isEmpty(relationships) && !isEmpty(relationshipIds)],
    ['metadata', !request.metadata && isEmpty(relationships) && isEmpty(relationshipIds)],
    ['relationships', request.relationshipDeleteOnly === true && isEmpty(relationships)],
    ['preventCleanup', !isEmpty(relationshipIds) && request.preventCleanup !== true],
    ['preventCleanup', request.preventCleanup === true && request.relationshipDeleteOnly === true],
    ['relationshipIdField', !isEmpty(relationshipIds) && request.relationshipIdField === undefined],
    ['relationshipIdField', request.deleteRelationshipById === true && request.relationshipIdField === undefined],
    ['timestampProperty', usesTimestamp && request.timestampProperty === undefined],
    ['timestampProperty', usesTimestamp && overlap([...idProperties, request.relationshipIdField], stamp)],
    ['deleteProperties', overlap(deleteProperties, [...idProperties, ...protectedNodeProperties])],
    ['protectedNodeProperties', overlap(protectedNodeProperties, [...idProperties, ...stamp])],
    [
      'protectedRelationshipProperties',
      overlap(protectedRelationshipProperties, [request.relationshipIdField, ...stamp]),
    ],
    ['searchFilter', request.searchFilter !== undefined && request.searchIdField === undefined],
    ['preventSearch', request.preventSearch !== undefined && request.searchIdField === undefined],
    ['index', request.index !== undefined && !labels.includes(request.index)],
  ]
  return rules.flatMap(([field, isBroken]) => (isBroken ? [refused(field)] : []))
}

/** Rules between sub-requests: contract 5, order independence. */
export const disagreements = (requests: readonly Request[]): Refusal[] =>
  pairsOf(requests).flatMap(([one, other]) => between(one, other))

/**
 * Conflicts that depend on data: two sub-requests publish a node with different node options, see a node with different
 * identities, or use two databases. The contract only says that the outcome must not depend on the order.
 */
export const disagreementsByData = (plans: readonly Plan[]): Refusal[] =>
  pairsOf(plans).flatMap(([one, other]) => {
    const isShared = publishedNodes(one).some((index) => publishedNodes(other).includes(index))
    const isSeenOtherwise = seenNodes(one).some((index) => {
      const [identity, another] = [one.identities[index], other.identities[index]]
      return identity && another && (identity.label !== another.label || identity.key !== another.key)
    })
    const isElsewhere = Boolean(one.request.isElsewhere) !== Boolean(other.request.isElsewhere)
    return [
      ...(isShared ? differing(nodeRules, one.request, other.request).map((field) => refused(field, false)) : []),
      ...(isSeenOtherwise ? [refused('mappedIndices', false)] : []),
      ...(isElsewhere ? [refused('dbUrl', false)] : []),
      ...differing(['database'], one.request, other.request).map((field) => refused(field, false)),
    ]
  })

/** Nodes that a request reads: targeted nodes and the other ends of relationships. */
const seenNodes = ({ selection, specs, origin }: Plan): number[] => [
  ...selection.targeted,
  ...selection.targeted.flatMap((node) =>
    specs.flatMap((spec) =>
      relationshipsAt(origin, node, spec).flatMap((index) => {
        const { from, to } = origin.relationships[index] as { from: number; to: number }
        return [from, to]
      }),
    ),
  ),
  ...selection.named.flatMap((index) => {
    const { from, to } = origin.relationships[index] as { from: number; to: number }
    return [from, to]
  }),
]

const pairsOf = <T>(list: readonly T[]): [T, T][] =>
  list.flatMap((one, index) => list.slice(index + 1).map((other): [T, T] => [one, other]))

const publishedNodes = ({ publishesNodes, selection, identities }: Plan): number[] =>
  publishesNodes ? selection.targeted.filter((index) => identities[index] !== null) : []

function between(one: Request, other: Request): Refusal[] {
  const shared = Object.keys(one.mappedIndices).filter(
    (label) => !label.startsWith('DEFAULT_') && Object.hasOwn(other.mappedIndices, label),
  )
  const mapping = shared.some((label) => one.mappedIndices[label] !== other.mappedIndices[label])
  const overlap = typesOf(one).some((type) => typesOf(other).includes(type))
  const byId = [one, other].some(({ relationshipIds = [] }) => relationshipIds.length > 0)
  const idField = differing(['relationshipIdField'], one, other)
  const relationshipFields = differing(relationshipRules, one, other)
  const stampedIds = [
    [one, other],
    [other, one],
  ].some(
    ([stamping, found]) => stamping?.postbackTimestamp && idPropertiesOf(found).includes(stamping.timestampProperty),
  )
  // A timestamp used only for postback does not affect how relationships are written.
  const isStamped = one.timestampRelationships || other.timestampRelationships
  const nodeFields = differing(nodeRules, one, other)
  const layered = [one, other].some(({ toLayer = [] }) => toLayer.length > 0)
  const isShared = indexOf(one) === indexOf(other) || layered
  // Ends of relationships may have any label, like nodes reached by `toLayer`, but the contract does not mention them.
  const ofEnds = [one, other].some(({ originIds = [] }) => originIds.length === 0)
  return [
    ...(mapping ? [refused('mappedIndices')] : []),
    ...(stampedIds ? [refused('timestampProperty')] : []),
    ...(isIdentifying(one) && isIdentifying(other) && (overlap || byId)
      ? idField.map((field) => refused(field, [one, other].some(writesRelationships)))
      : []),
    ...(writesRelationships(one) && writesRelationships(other) && (overlap || byId)
      ? relationshipFields.map((field) => refused(field, field !== 'timestampProperty' || isStamped === true))
      : []),
    ...(writesNodes(one) && writesNodes(other) && (isShared || ofEnds)
      ? nodeFields.map((it) => refused(it, isShared))
      : []),
  ]
}

const relationshipRules = ['timestampRelationships', 'timestampProperty', 'protectedRelationshipProperties'] as const

const nodeRules = ['protectedNodeProperties', 'deleteProperties', 'dynamicLabels'] as const

const differing = <Field extends keyof Request>(fields: readonly Field[], one: Request, other: Request): Field[] =>
  fields.filter((field) => textOf(one[field]) !== textOf(other[field]))

const typesOf = ({ relationships = [] }: Request) => relationships.map((type) => type.replace(/[<>]/, ''))
const indexOf = ({ index, mappedIndices }: Request) => index ?? mappedIndices.DEFAULT_INDEX
const writesNodes = ({ metadata, relationshipDeleteOnly }: Request) => metadata === true && !relationshipDeleteOnly
const writesRelationships = ({ relationships = [], relationshipIds = [], relationshipDeleteOnly }: Request) =>
  !relationshipDeleteOnly && relationships.length + relationshipIds.length > 0

/** Whether the id property matters: the request publishes relationships, or deletes them by id. */
const isIdentifying = (request: Request) =>
  writesRelationships(request) || (request.relationshipDeleteOnly === true && request.relationshipIdField !== undefined)

const idPropertiesOf = (request: Request | undefined): unknown[] =>
  Object.entries(request?.mappedIndices ?? {}).flatMap(([key, property]) => (key === 'DEFAULT_INDEX' ? [] : [property]))

/** Compares lists as sets: the order of names is irrelevant. */
function textOf(value: unknown): string {
  if (value === undefined || value === false) return 'none'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : JSON.stringify(value.toSorted())
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return JSON.stringify(
    Object.entries(value)
      .map(([key, listed]) => `${key} ${textOf(listed)}`)
      .sort(),
  )
}
