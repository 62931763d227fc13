import type { Issue } from '../../errors/app-error.ts'
import { shown } from '../../validation/issues.ts'
import type { PublishRequest } from './fields.ts'
import { idPropertiesOf } from './identity.ts'
import { firstDisagreement, type Participant } from './participants.ts'

/** An option that sub-requests with common elements must agree on. Equal settings have equal texts. */
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

/** `MERGE` by another id property may match, or miss, a relationship that a cleanup by this one deletes. */
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

/** The settings that decide how a node's properties and labels are written, each as a text. */
export const nodeSettings = (request: PublishRequest): NodeSetting[] =>
  nodeRules.map(({ field, setting }) => ({ field, setting: setting(request) }))

/**
 * Checks the options on which sub-requests with common elements must agree; otherwise the result would depend on the
 * order of replay. Contract 5, order independence. @returns the first two that disagree, for each option.
 */
export function* optionAgreement(requests: readonly PublishRequest[]): Generator<Issue> {
  const participants = requests.map((request, index) => ({ request, index }))
  const identifying = participants.filter(
    (participant) => publishesRelationships(participant) || deletesById(participant),
  )
  yield* disagreements([relationshipId], identifying, typesOf)
  yield* disagreements(relationshipRules, participants.filter(publishesRelationships), typesOf)
  yield* disagreements(nodeRules, participants.filter(publishesNodes), indexOf)
  yield* stampedIds(participants)
}

function* disagreements(
  rules: readonly Rule[],
  participants: readonly Participant[],
  scopesOf: (request: PublishRequest) => readonly string[] | null,
): Generator<Issue> {
  const scopes = participants.map(({ request }) => scopesOf(request))
  for (const { field, setting } of rules) {
    const pair = firstDisagreement(participants, scopes, setting)
    if (pair) yield { path: `[${pair[1].index}].${field}`, message: `must be the same as in [${pair[0].index}]` }
  }
}

/** Reports a stamp that would overwrite an id by which another sub-request finds nodes. */
function* stampedIds(participants: readonly Participant[]): Generator<Issue> {
  const users = new Map<string, number>()
  for (const { request, index } of participants) {
    for (const property of idPropertiesOf(request.mappedIndices ?? {}))
      if (!users.has(property)) users.set(property, index)
  }
  for (const { request, index } of participants) {
    const user = users.get(request.timestampProperty ?? '')
    if (!request.postbackTimestamp || user === undefined || user === index) continue
    const message = `must not be "${shown(request.timestampProperty ?? '')}", an id property of mappedIndices in [${user}]`
    return yield { path: `[${index}].timestampProperty`, message }
  }
}

/** Whether its cleanup distinguishes relationships by their own ids. */
const deletesById = ({ request }: Participant): boolean =>
  request.preventCleanup !== true &&
  request.relationshipIdField !== undefined &&
  (request.relationshipDeleteOnly === true || request.deleteRelationshipById === true)

const isById = ({ relationshipIds = [] }: PublishRequest) => relationshipIds.length > 0

function publishesRelationships({ request }: Participant): boolean {
  return isById(request) || (request.relationshipDeleteOnly !== true && (request.relationships?.length ?? 0) > 0)
}

/** The relationship types that it publishes or cleans up; null if its `relationshipIds` may be of any type. */
const typesOf = (request: PublishRequest): readonly string[] | null =>
  isById(request) ? null : (request.relationships ?? []).map(({ type }) => type)

const publishesNodes = ({ request }: Participant) =>
  request.metadata === true && request.relationshipDeleteOnly !== true

/**
 * The label of its targeted nodes; null if they may have any: reached by `toLayer`, or the ends of `relationshipIds`.
 */
function indexOf({ toLayer = [], originIds = [], index, mappedIndices }: PublishRequest): readonly string[] | null {
  if (toLayer.length > 0 || originIds.length === 0) return null
  return [index ?? mappedIndices?.DEFAULT_INDEX ?? '']
}
