import type { Issue } from '../../errors/app-error.ts'
import { shown } from '../../validation/issues.ts'
import type { PublishRequest } from './fields.ts'
import { idPropertiesOf } from './identity.ts'
import { firstDisagreement, type Participant } from './participants.ts'
import type { Plan } from './plan.ts'

/** An option that sub-requests with common elements must agree on. Equal settings have equal texts. */
interface Rule {
  field: keyof PublishRequest
  setting: (plan: Plan) => string
}

const asSet = (names: readonly string[]) => JSON.stringify([...new Set(names)].sort())
const asMap = (lists: ReadonlyMap<string, readonly string[]>) =>
  JSON.stringify([...lists].map(([key, names]) => [key, asSet(names)]).sort())

/** `MERGE` by another id property may match, or miss, a relationship that a cleanup by this one deletes. */
const relationshipId: Rule = { field: 'relationshipIdField', setting: (plan) => plan.relationshipIdField ?? '' }

const relationshipRules: readonly Rule[] = [
  { field: 'timestampRelationships', setting: ({ timestamp }) => String(timestamp.stampsRelationships) },
  {
    field: 'timestampProperty',
    setting: ({ timestamp }) => (timestamp.stampsRelationships && timestamp.property) || '',
  },
  { field: 'protectedRelationshipProperties', setting: (plan) => asSet(plan.protectedRelationshipProperties) },
]

const nodeRules: readonly Rule[] = [
  { field: 'protectedNodeProperties', setting: (plan) => asSet(plan.protectedNodeProperties) },
  { field: 'deleteProperties', setting: (plan) => asSet(plan.deletedProperties) },
  { field: 'dynamicLabels', setting: (plan) => asMap(plan.dynamicLabels) },
]

export interface NodeSetting {
  field: string
  setting: string
}

/** The settings that decide how a node's properties and labels are written, each as a text. */
export const nodeSettings = (plan: Plan): NodeSetting[] =>
  nodeRules.map(({ field, setting }) => ({ field, setting: setting(plan) }))

/**
 * Checks the options on which sub-requests with common elements must agree; otherwise the result would depend on the
 * order of replay. Contract 5, order independence. @returns the first two that disagree, for each option.
 */
export function* optionAgreement(plans: readonly Plan[]): Generator<Issue> {
  const participants = plans.map((plan, index) => ({ plan, index }))
  const identifying = participants.filter(
    ({ plan }) => plan.publishesRelationships || plan.cleanup === 'byRelationshipId',
  )
  const publishing = participants.filter(({ plan }) => plan.publishesRelationships)
  const publishingNodes = participants.filter(({ plan }) => plan.publishesNodes)
  yield* disagreements([relationshipId], identifying, typesOf)
  yield* disagreements(relationshipRules, publishing, typesOf)
  yield* disagreements(nodeRules, publishingNodes, labelsOf)
  yield* stampedIds(participants)
}

function* disagreements(
  rules: readonly Rule[],
  participants: readonly Participant[],
  scopesOf: (plan: Plan) => readonly string[] | null,
): Generator<Issue> {
  const scopes = participants.map(({ plan }) => scopesOf(plan))
  for (const { field, setting } of rules) {
    const pair = firstDisagreement(participants, scopes, setting)
    if (pair) yield { path: `[${pair[1].index}].${field}`, message: `must be the same as in [${pair[0].index}]` }
  }
}

/** Reports a stamp that would overwrite an id by which another sub-request finds nodes. */
function* stampedIds(participants: readonly Participant[]): Generator<Issue> {
  const users = new Map<string, number>()
  const seen = new Set<ReadonlySet<string>>()
  for (const { plan, index } of participants) {
    const properties = idPropertiesOf(plan.mappedIndices)
    if (seen.has(properties)) continue
    seen.add(properties)
    for (const property of properties) if (!users.has(property)) users.set(property, index)
  }
  for (const { plan, index } of participants) {
    const { property, postback } = plan.timestamp
    const user = property === null ? undefined : users.get(property)
    if (!postback || property === null || user === undefined || user === index) continue
    const message = `must not be "${shown(property)}", an id property of mappedIndices in [${user}]`
    return yield { path: `[${index}].timestampProperty`, message }
  }
}

/** The relationship types that a request publishes or cleans up; null if its `relationshipIds` may have any type. */
const typesOf = ({ relationshipIds, relationships }: Plan): readonly string[] | null =>
  relationshipIds.length > 0 ? null : relationships.map(({ type }) => type)

/**
 * The label of a request's targeted nodes; null if they may have any label, because they are reached by `toLayer` or
 * are the ends of `relationshipIds`.
 */
const labelsOf = ({ toLayer, originIds, index }: Plan): readonly string[] | null =>
  toLayer.length > 0 || originIds.length === 0 ? null : [index.label]
