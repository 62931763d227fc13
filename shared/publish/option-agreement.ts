import type { Issue } from '../errors/app-error.ts'
import type { PublishRequest } from './request.ts'

/** Where in a multi a request stands, and whether and of what it speaks. */
interface Speaker {
  index: number
  request: PublishRequest
}

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
  yield* disagreements(relationshipRules, speakers.filter(publishesRelationships), shareRelationships)
  yield* disagreements(nodeRules, speakers.filter(publishesNodes), shareNodes)
  yield* unprotectedIds(speakers)
}

/**
 * A cleanup by relationship id deletes what another sub-request publishes without that id. Within one request such
 * options are refused already (contract 4.14).
 */
function* unprotectedIds(speakers: readonly Speaker[]): Generator<Issue> {
  const types = ({ relationships = [] }: PublishRequest) => relationships.map(({ type }) => type)
  const deleters = distinct(speakers.filter(deletesById), ({ request }) => [
    request.relationshipIdField,
    types(request),
  ])
  const publishers = distinct(speakers.filter(publishesRelationships), ({ request }) => [
    request.protectedRelationshipProperties,
    request.timestampRelationships && request.timestampProperty,
    isById(request) || types(request),
  ])
  for (const deleter of deleters) {
    const field = deleter.request.relationshipIdField as string
    for (const { request, index } of publishers.filter((publisher) => shareRelationships(deleter, publisher))) {
      const message = `must not name "${field}", the relationshipIdField by which [${deleter.index}] deletes`
      if (request.protectedRelationshipProperties?.includes(field)) {
        yield { path: `[${index}].protectedRelationshipProperties`, message }
      }
      if (request.timestampRelationships && request.timestampProperty === field) {
        yield { path: `[${index}].timestampProperty`, message }
      }
    }
  }
}

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

function shareRelationships({ request: a }: Speaker, { request: b }: Speaker): boolean {
  if (isById(a) || isById(b)) return true
  return (a.relationships ?? []).some(({ type }) => b.relationships?.some((other) => other.type === type))
}

const publishesNodes = ({ request }: Speaker) => request.metadata === true && request.relationshipDeleteOnly !== true

/** What `toLayer` reaches, and the ends of `relationshipIds` without origin ids, may bear any label. */
const isOpen = ({ toLayer = [], originIds = [] }: PublishRequest) => toLayer.length > 0 || originIds.length === 0
const labelOf = ({ index, mappedIndices }: PublishRequest) => index ?? mappedIndices?.DEFAULT_INDEX

function shareNodes({ request: a }: Speaker, { request: b }: Speaker): boolean {
  return isOpen(a) || isOpen(b) || labelOf(a) === labelOf(b)
}

function* disagreements(
  rules: readonly Rule[],
  speakers: readonly Speaker[],
  share: (a: Speaker, b: Speaker) => boolean,
): Generator<Issue> {
  for (const { field, setting } of rules) {
    const groups = [...Map.groupBy(speakers, ({ request }) => setting(request)).values()]
    const pair = firstSharing(groups, share)
    if (pair) yield { path: `[${pair[1].index}].${field}`, message: `must be the same as in [${pair[0].index}]` }
  }
}

/** Two of different groups that share something. Those of one group agree, however many they are. */
function firstSharing(
  groups: readonly Speaker[][],
  share: (a: Speaker, b: Speaker) => boolean,
): [Speaker, Speaker] | null {
  for (const [position, group] of groups.entries()) {
    for (const other of groups.slice(position + 1).flat()) {
      const met = group.find((one) => share(one, other))
      if (met) return [met, other]
    }
  }
  return null
}
