import type { Issue } from '../errors/app-error.ts'
import { shown } from '../errors/issues.ts'
import { idPropertiesOf } from './identity.ts'
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

/** `MERGE` by another id would find, or not find, what a cleanup by this one is about to delete. */
const relationshipId: Rule = {
  field: 'relationshipIdField',
  setting: (request) => request.relationshipIdField ?? '',
}

const relationshipRules: readonly Rule[] = [
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
  const identifying = speakers.filter((speaker) => publishesRelationships(speaker) || deletesById(speaker))
  yield* disagreements([relationshipId], identifying, typesOf)
  yield* disagreements(relationshipRules, speakers.filter(publishesRelationships), typesOf)
  yield* disagreements(nodeRules, speakers.filter(publishesNodes), indexOf)
  yield* stampedIds(speakers)
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

/** A stamp in place of an id by which another sub-request finds nodes. */
function* stampedIds(speakers: readonly Speaker[]): Generator<Issue> {
  const users = new Map<string, number>()
  for (const { request, index } of speakers) {
    for (const property of idPropertiesOf(request.mappedIndices ?? {}))
      if (!users.has(property)) users.set(property, index)
  }
  for (const { request, index } of speakers) {
    const user = users.get(request.timestampProperty ?? '')
    if (!request.postbackTimestamp || user === undefined || user === index) continue
    const message = `must not be "${shown(request.timestampProperty ?? '')}", an id property of mappedIndices in [${user}]`
    return yield { path: `[${index}].timestampProperty`, message }
  }
}

/** Its cleanup tells relationships apart by their own ids. */
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
