import type { Issue } from '../errors/app-error.ts'
import { shown } from '../validation/issues.ts'
import type { PublishRequest } from './fields.ts'
import { idPropertiesOf } from './identity.ts'
import type { Plan } from './plan.ts'

/** A sub-request of a multi. `scopes`: the types or labels that an option of it concerns; null means all. */
interface Participant {
  index: number
  plan: Plan
  scopes: readonly string[] | null
}

/** Options by their fields. Equal settings have equal texts. */
type Options = Partial<Record<keyof PublishRequest, (plan: Plan) => string>>

const asSet = (names: readonly string[]) => JSON.stringify([...new Set(names)].sort())
const asMap = (lists: ReadonlyMap<string, readonly string[]>) =>
  JSON.stringify([...lists].map(([key, names]) => [key, asSet(names)]).sort())

const nodeOptions: Options = {
  protectedNodeProperties: (plan) => asSet(plan.protectedNodeProperties),
  deleteProperties: (plan) => asSet(plan.deletedProperties),
  dynamicLabels: (plan) => asMap(plan.dynamicLabels),
}

export interface NodeSetting {
  field: string
  setting: string
}

/** The settings that decide how a node's properties and labels are written, each as a text. */
export const nodeSettings = (plan: Plan): NodeSetting[] =>
  Object.entries(nodeOptions).map(([field, setting]) => ({ field, setting: setting(plan) }))

/** The relationship types that a request publishes or cleans up; null if they may be any. */
const typesOf = ({ relationshipIds, relationships, everyType }: Plan): Participant['scopes'] =>
  relationshipIds.length > 0 || everyType !== null ? null : relationships.map(({ type }) => type)

/**
 * The label of a request's targeted nodes; null if they may have any label, because they are reached by `toLayer`, are
 * the ends of `relationshipIds`, or are selected: a selected node may have further labels.
 */
const labelsOf = ({ toLayer, originIds, index }: Plan): Participant['scopes'] =>
  toLayer.length > 0 || originIds.length === 0 ? null : [index.label]

/** Options, the sub-requests to which they matter, and the scopes in which these must agree. */
const agreements: [Options, matters: (plan: Plan) => boolean, scopesOf: typeof typesOf][] = [
  [
    // `MERGE` by another id property may match, or miss, a relationship that a cleanup by this one deletes.
    { relationshipIdField: (plan) => plan.relationshipIdField ?? '' },
    (plan) => plan.publishesRelationships || plan.cleanup === 'byRelationshipId',
    typesOf,
  ],
  [
    {
      timestampRelationships: ({ timestamp }) => String(timestamp.stampsRelationships),
      timestampProperty: ({ timestamp }) => (timestamp.stampsRelationships && timestamp.property) || '',
      protectedRelationshipProperties: (plan) => asSet(plan.protectedRelationshipProperties),
    },
    (plan) => plan.publishesRelationships,
    typesOf,
  ],
  [nodeOptions, (plan) => plan.publishesNodes, labelsOf],
]

/**
 * Checks the options on which sub-requests with common elements must agree; otherwise the result would depend on the
 * order of replay. Contract 5, order independence. @returns the first two that disagree, for each option.
 */
export function* optionAgreement(plans: readonly Plan[]): Generator<Issue> {
  for (const [options, matters, scopesOf] of agreements) {
    const participants = plans.flatMap((plan, index) =>
      matters(plan) ? [{ index, plan, scopes: scopesOf(plan) }] : [],
    )
    for (const [field, setting] of Object.entries(options)) {
      const pair = firstDisagreement(participants, setting)
      if (pair === 'tooMany') {
        const message = `sub-requests that differ in ${field} must not name more than ${mostTypes} types together`
        return yield { path: '', message }
      }
      if (pair) yield { path: `[${pair[1]}].${field}`, message: `must be the same as in [${pair[0]}]` }
    }
  }
  yield* stampedIds(plans)
}

/**
 * Different types of sub-requests that differ in an option of relationships. Beyond this limit the answer is
 * `400 invalidRequest`: to compare them takes memory and time, and no database has as many.
 */
const mostTypes = 250_000

/** Participants that all concern a scope: the first one, and the first later one whose setting differs. */
interface Seen {
  first: number
  setting: string
  different: number | null
}

/**
 * Finds the first participant whose setting differs from the setting of an earlier one with a common scope, in one
 * pass: there may be ten thousand participants, with millions of scopes. @returns the indexes of both
 */
function firstDisagreement(
  participants: readonly Participant[],
  settingOf: (plan: Plan) => string,
): [earlier: number, later: number] | 'tooMany' | null {
  const settings = participants.map(({ plan }) => settingOf(plan))
  if (new Set(settings).size < 2) return null
  // Positions of the first participants of scopes. Later ones of a scope agree with it, or the search has ended.
  const firsts = new Map<string, number>()
  let ofEvery: Seen | null = null
  let ofAny: Seen | null = null
  for (const [position, { index, scopes }] of participants.entries()) {
    const setting = settings[position] as string
    let earlier = differing(scopes === null ? ofAny : ofEvery, setting)
    for (const scope of scopes ?? []) {
      const first = firsts.get(scope)
      if (first === undefined) {
        if (firsts.size === mostTypes) return 'tooMany'
        firsts.set(scope, position)
      } else if (settings[first] !== setting) earlier = Math.min(earlier, (participants[first] as Participant).index)
    }
    if (earlier !== Number.POSITIVE_INFINITY) return [earlier, index]
    if (scopes === null) ofEvery = withOne(ofEvery, index, setting)
    ofAny = withOne(ofAny, index, setting)
  }
  return null
}

/** The first participant whose setting is another one; infinity if there is none. */
const differing = (seen: Seen | null, setting: string): number =>
  (seen?.setting === setting ? seen.different : seen?.first) ?? Number.POSITIVE_INFINITY

function withOne(seen: Seen | null, index: number, setting: string): Seen {
  if (seen === null) return { first: index, setting, different: null }
  return seen.setting === setting || seen.different !== null ? seen : { ...seen, different: index }
}

/** Reports a stamp that would overwrite an id by which another sub-request finds nodes. */
function* stampedIds(plans: readonly Plan[]): Generator<Issue> {
  const users = new Map<string, number>()
  const seen = new Set<ReadonlySet<string>>()
  for (const [index, { mappedIndices }] of plans.entries()) {
    const properties = idPropertiesOf(mappedIndices)
    if (seen.has(properties)) continue
    seen.add(properties)
    for (const property of properties) if (!users.has(property)) users.set(property, index)
  }
  for (const [index, { timestamp }] of plans.entries()) {
    const { property, postback } = timestamp
    const user = property === null ? undefined : users.get(property)
    if (!postback || property === null || user === undefined || user === index) continue
    const message = `must not be "${shown(property)}", an id property of mappedIndices in [${user}]`
    return yield { path: `[${index}].timestampProperty`, message }
  }
}
