import { isMeantBy } from './identities.ts'
import {
  endsAreFound,
  hasItsId,
  nodeAt,
  type Plan,
  relationshipAt,
  unwritableNodeKeys,
  unwritableRelationshipKeys,
} from './plan.ts'
import { relationshipsAt } from './select.ts'

/** Why a request is refused. */
export interface Refusal {
  status: 400 | 422
  /** The error must name one of these. */
  names: readonly string[]
  /** False where neither specification nor contract decides whether the request is refused. */
  isSure: boolean
}

const unpublishable = (names: readonly string[], isSure = true): Refusal => ({ status: 422, names, isSure })

/** Refusals due to the origin's data. Contract 4.2, 4.8, 4.9 and `onUnpublishable`. */
export function refusalsByData(plan: Plan): Refusal[] {
  const { selection } = plan
  const mistyped = selection.mistyped ? [unpublishable(selection.mistyped)] : []
  return [...mistyped, ...hardFilter(plan), ...(plan.skips ? [] : [...nodes(plan), ...relationships(plan)])]
}

function hardFilter(plan: Plan): Refusal[] {
  const { hardFilterRelationships, originIds = [] } = plan.request
  if (!hardFilterRelationships) return []
  return plan.selection.named.flatMap((index): Refusal[] => {
    const { from, to } = relationshipAt(plan, index)
    const ends = [from, to].map((end) => plan.identities[end])
    const absent = ends.filter((identity) => !identity || !isMeantBy(originIds, identity.value))
    // No rule covers an end without an identity, or a non-integer id such as 2.5 that may match by its text.
    const isSure = absent.some((identity) => identity && !originIds.includes(`${identity.value}`))
    return absent.length > 0 ? [{ status: 400, names: ['hardFilterRelationships'], isSure }] : []
  })
}

function nodes(plan: Plan): Refusal[] {
  return plan.selection.targeted.flatMap((index) => {
    const names = nodeAt(plan, index).labels
    if (plan.identities[index] === null) return [unpublishable(names, isNeeded(plan, index))]
    return plan.publishesNodes ? unwritableNodeKeys(plan, index).map((key) => unpublishable([key])) : []
  })
}

/** Whether any pair matches the targeted node by its identity. */
function isNeeded(plan: Plan, node: number): boolean {
  const { origin, cleanup, specs } = plan
  const isEnd = plan.candidates.some((index) => {
    const { from, to } = relationshipAt(plan, index)
    return from === node || to === node
  })
  const isCleaned =
    cleanup === 'nothing left'
      ? specs.some((spec) => relationshipsAt(origin, node, spec).length === 0)
      : cleanup !== 'none'
  return plan.publishesNodes || isEnd || isCleaned
}

function relationships(plan: Plan): Refusal[] {
  const { relationshipIdField = '' } = plan.request
  const published = plan.candidates.flatMap((index) => {
    const { type, from, to } = relationshipAt(plan, index)
    const isLost = plan.collapsed.has(index)
    return [
      ...(endsAreFound(plan, index) ? [] : [unpublishable([from, to].flatMap((end) => nodeAt(plan, end).labels))]),
      ...(hasItsId(plan, index) ? [] : [unpublishable([type, relationshipIdField])]),
      ...unwritableRelationshipKeys(plan, index).map((key) => unpublishable([key], !isLost)),
    ]
  })
  if (!plan.request.relationshipDeleteOnly) return published
  const here = plan.selection.targeted.flatMap((node) =>
    plan.specs.flatMap((spec) => relationshipsAt(plan.origin, node, spec)),
  )
  return here.flatMap((index) => [
    ...(hasItsId(plan, index) || plan.cleanup !== 'by id' ? [] : [unpublishable([relationshipIdField])]),
    ...(endsAreFound(plan, index) ? [] : [unpublishable([], false)]),
  ])
}
