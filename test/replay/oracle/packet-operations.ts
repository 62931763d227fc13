import type { Properties } from '../generator/graph.ts'
import type { Identity } from './identities.ts'
import { meantBy } from './identities.ts'
import type { Operation } from './operations.ts'
import {
  endsAreFound,
  hasItsId,
  isWritten,
  nodeAt,
  type Plan,
  relationshipAt,
  stampedKey,
  unwritableNodeKeys,
  unwritableRelationshipKeys,
} from './plan.ts'
import { relationshipsAt } from './select.ts'

/** All effects of one request's packet on a target. `now` is the packet's timestamp. */
export const operationsOf = (plan: Plan, now: bigint): Operation[] => [
  ...(plan.publishesNodes ? plan.selection.targeted : []).flatMap((index) => nodeUpsert(plan, index)),
  ...plan.candidates.filter((index) => isWritten(plan, index)).map((index) => relationshipUpsert(plan, index, now)),
  ...cleanups(plan).flatMap(({ operation }) => operation ?? []),
]

export const nodeKeys = (plan: Plan, index: number): string[] => {
  const { protectedNodeProperties = [], deleteProperties = [] } = plan.request
  const left = [...protectedNodeProperties, ...deleteProperties, ...unwritableNodeKeys(plan, index)]
  return Object.keys(nodeAt(plan, index).properties).filter((key) => !left.includes(key))
}

function nodeUpsert(plan: Plan, index: number): Operation[] {
  const identity = plan.identities[index]
  if (!identity) return []
  const { labels, properties } = nodeAt(plan, index)
  const { dynamicLabels = {}, protectedNodeProperties = [] } = plan.request
  const dynamic = Object.entries(dynamicLabels).flatMap(([key, listed]) => (labels.includes(key) ? listed : []))
  const keys = nodeKeys(plan, index)
  return [
    {
      kind: 'node',
      identity,
      properties: picked(properties, keys),
      kept: [...protectedNodeProperties, ...unwritableNodeKeys(plan, index)],
      added: labels,
      removed: dynamic.filter((label) => !labels.includes(label)),
    },
  ]
}

function relationshipUpsert(plan: Plan, index: number, now: bigint): Operation {
  const { type, from, to, properties } = relationshipAt(plan, index)
  const { protectedRelationshipProperties = [], relationshipIdField = null } = plan.request
  const unwritable = unwritableRelationshipKeys(plan, index)
  const stamp = stampedKey(plan.request)
  const keys = Object.keys(properties).filter(
    (key) => !protectedRelationshipProperties.includes(key) && !unwritable.includes(key),
  )
  return {
    kind: 'relationship',
    type,
    from: plan.identities[from] as Identity,
    to: plan.identities[to] as Identity,
    relationshipIdField,
    properties: { ...picked(properties, keys), ...(stamp === undefined ? {} : { [stamp]: now }) },
    kept: [...protectedRelationshipProperties, ...unwritable],
  }
}

const picked = (properties: Properties, keys: readonly string[]): Properties =>
  Object.fromEntries(keys.map((key) => [key, properties[key]]))

/** One per targeted node and type; null when omitted because it would delete skipped relationships. */
export function cleanups(plan: Plan): { operation: Operation | null }[] {
  const { selection, request, origin, specs } = plan
  if (plan.cleanup === 'none') return []
  const nothing = { idField: null, outgoing: [], incoming: [] }
  const bare = !request.toLayer?.length && request.targetFilter === undefined
  const missing = (bare ? selection.missingOriginIds : []).flatMap(meantBy).flatMap((value) =>
    specs.map((spec): { operation: Operation } => {
      const base = { label: selection.startLabel, key: selection.startKey, value }
      return { operation: { kind: 'cleanup', base, ...spec, keeps: nothing } }
    }),
  )
  const present = selection.targeted.flatMap((node) => {
    const base = plan.identities[node]
    if (!base) return []
    return specs.flatMap((spec): { operation: Operation | null }[] => {
      const here = relationshipsAt(origin, node, spec)
      if (plan.cleanup === 'nothing left') {
        return here.length > 0 ? [] : [{ operation: { kind: 'cleanup', base, ...spec, keeps: nothing } }]
      }
      // A deletion-only packet publishes no far ends, so ids suffice.
      const isKept = (index: number) =>
        hasItsId(plan, index) && (endsAreFound(plan, index) || request.relationshipDeleteOnly === true)
      if (!here.every(isKept)) return [{ operation: null }]
      const all = here.map((index) => relationshipAt(plan, index))
      const key = request.relationshipIdField as string
      const ends = (list: typeof all, end: 'from' | 'to') =>
        list.map((it) => ({ far: plan.identities[it[end]] as Identity, id: it.properties[key] }))
      const isOut = all.filter(({ from }) => from === node && spec.direction !== 'in')
      const isIn = all.filter(({ to }) => to === node && spec.direction !== 'out')
      const keeps =
        plan.cleanup === 'by id'
          ? { key, ids: all.map(({ properties }) => properties[key]) }
          : {
              idField: plan.cleanup === 'by end and id' ? key : null,
              outgoing: ends(isOut, 'to'),
              incoming: ends(isIn, 'from'),
            }
      return [{ operation: { kind: 'cleanup', base, ...spec, keeps } }]
    })
  })
  return [...missing, ...present]
}

/** The postback packet of a request: timestamps on the elements its pairs upsert. Contract 4.17. */
export function postbackOf(plan: Plan, now: bigint): Operation[] {
  const { postbackTimestamp, timestampProperty = '' } = plan.request
  if (!postbackTimestamp) return []
  const properties = { [timestampProperty]: now }
  return operationsOf(plan, now).flatMap((it): Operation[] => {
    if (it.kind === 'node') return [{ kind: 'stamp node', identity: it.identity, properties }]
    if (it.kind !== 'relationship' || !plan.request.timestampRelationships) return []
    const { type, from, to, relationshipIdField } = it
    const relationshipId = relationshipIdField === null ? undefined : it.properties[relationshipIdField]
    return [{ kind: 'stamp relationship', type, from, to, relationshipIdField, relationshipId, properties }]
  })
}
