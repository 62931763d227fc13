import type { Issue } from '../errors/app-error.ts'
import { shown } from '../errors/issues.ts'
import type { PublishRequest } from './request.ts'
import { firstDisagreement, type Speaker } from './speakers.ts'

/** An option that sub-requests speaking of the same elements must agree on; equal settings have equal texts. */
interface Rule {
  field: keyof PublishRequest
  setting: (request: PublishRequest) => string
}

const asSet = (names: readonly string[] = []) => JSON.stringify([...new Set(names)].sort())
const asMap = (lists: Readonly<Record<string, readonly string[]>> = {}) =>
  JSON.stringify(
    Object.entries(lists)
      .map(([key, names]) => [key, asSet(names)])
      .sort(),
  )

const relationshipRules: readonly Rule[] = [
  { field: 'relationshipIdField', setting: (request) => request.relationshipIdField ?? '' },
  { field: 'timestampRelationships', setting: (request) => String(request.timestampRelationships ?? false) },
  {
    field: 'timestampProperty',
    setting: (request) => (request.timestampRelationships && request.timestampProperty) || '',
  },
  { field: 'protectedRelationshipProperties', setting: (request) => asSet(request.protectedRelationshipProperties) },
]

const nodeRules: readonly Rule[] = [
  { field: 'protectedNodeProperties', setting: (request) => asSet(request.protectedNodeProperties) },
  { field: 'deleteProperties', setting: (request) => asSet(request.deleteProperties) },
  { field: 'dynamicLabels', setting: (request) => asMap(request.dynamicLabels) },
]

export interface NodeSetting {
  field: string
  setting: string
}

/** Its settings that decide what becomes of a node's properties and labels, each as a text. */
export const nodeSettings = (request: PublishRequest): NodeSetting[] =>
  nodeRules.map(({ field, setting }) => ({ field, setting: setting(request) }))

/**
 * Options on which sub-requests must agree that may speak of the same elements, or the order of replay would decide.
 * Contract 5, order independence. @returns the first two that disagree, for each option.
 */
export function* optionAgreement(requests: readonly PublishRequest[]): Generator<Issue> {
  const speakers = requests.map((request, index) => ({ request, index }))
  yield* disagreements(relationshipRules, speakers.filter(publishesRelationships), typesOf)
  yield* disagreements(nodeRules, speakers.filter(publishesNodes), indexOf)
  yield* unprotectedIds(speakers)
}

function* disagreements(
  rules: readonly Rule[],
  speakers: readonly Speaker[],
  topicsOf: (request: PublishRequest) => readonly string[] | null,
): Generator<Issue> {
  const topics = speakers.map(({ request }) => topicsOf(request))
  for (const { field, setting } of rules) {
    const pair = firstDisagreement(speakers, topics, setting)
    if (pair) yield { path: `[${pair[1].index}].${field}`, message: `must be the same as in [${pair[0].index}]` }
  }
}

// Requests of real use are of a few kinds; those that need more than this are of thousands.
const mostComparisons = 5_000_000

/**
 * A cleanup by relationship id deletes what another sub-request publishes without that id. Within one request such
 * options are refused already (contract 4.14).
 */
function* unprotectedIds(speakers: readonly Speaker[]): Generator<Issue> {
  const deleters = distinct(speakers.filter(deletesById), ({ request }) => [
    request.relationshipIdField,
    typesOf(request),
  ])
  if (deleters.length === 0) return
  const publishers = distinct(speakers.filter(publishesRelationships), ({ request }) => [
    request.protectedRelationshipProperties,
    request.timestampRelationships && request.timestampProperty,
    typesOf(request),
  ]).map(({ request, index }) => {
    const types = typesOf(request)
    const isProtected = new Set(request.protectedRelationshipProperties)
    return { request, index, isProtected, types: types && new Set(types) }
  })
  let comparisons = 0
  for (const deleter of deleters) {
    const field = deleter.request.relationshipIdField as string
    const deleted = typesOf(deleter.request)
    for (const { request, index, isProtected, types } of publishers) {
      comparisons += 1 + (deleted?.length ?? 0)
      if (comparisons > mostComparisons) return yield { path: '', message: tooManyKinds }
      if (types !== null && deleted !== null && !deleted.some((type) => types.has(type))) continue
      const message = `must not name "${shown(field)}", the relationshipIdField by which [${deleter.index}] deletes`
      if (isProtected.has(field)) yield { path: `[${index}].protectedRelationshipProperties`, message }
      if (request.timestampRelationships && request.timestampProperty === field) {
        yield { path: `[${index}].timestampProperty`, message }
      }
    }
  }
}

const tooManyKinds = 'the sub-requests are of too many kinds to be held against each other; send them in several multis'

const distinct = (speakers: readonly Speaker[], by: (speaker: Speaker) => unknown): Speaker[] =>
  [...Map.groupBy(speakers, (speaker) => JSON.stringify(by(speaker))).values()].map(([first]) => first as Speaker)

const deletesById = ({ request }: Speaker): boolean =>
  request.preventCleanup !== true &&
  request.relationshipIdField !== undefined &&
  (request.relationshipDeleteOnly === true || request.deleteRelationshipById === true)

const isById = ({ relationshipIds = [] }: PublishRequest) => relationshipIds.length > 0

function publishesRelationships({ request }: Speaker): boolean {
  return isById(request) || (request.relationshipDeleteOnly !== true && (request.relationships?.length ?? 0) > 0)
}

/** The relationship types it speaks of; null: ids may be of any. */
const typesOf = (request: PublishRequest): readonly string[] | null =>
  isById(request) ? null : (request.relationships ?? []).map(({ type }) => type)

const publishesNodes = ({ request }: Speaker) => request.metadata === true && request.relationshipDeleteOnly !== true

/** The label it speaks of; null: what `toLayer` reaches, and the ends of `relationshipIds`, may bear any. */
function indexOf({ toLayer = [], originIds = [], index, mappedIndices }: PublishRequest): readonly string[] | null {
  if (toLayer.length > 0 || originIds.length === 0) return null
  return [index ?? mappedIndices?.DEFAULT_INDEX ?? '']
}
