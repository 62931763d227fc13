import { type Identity, idText, nameOf } from '../../../packet/identity.ts'
import { kind } from '../../../packet/packstream/kinds.ts'
import * as errors from '../../errors/catalogue.ts'
import type { InternalId } from '../../read/internal-ids.ts'
import type { NodeRow } from '../../read/nodes.ts'
import type { NodeKeys } from '../../request/identity.ts'
import { typeOf } from '../../request/model/data-types.ts'
import type { Verdict, Violation } from '../../request/model/model-rules.ts'
import { observeNode } from './observer.ts'
import { countSkipped, type RequestContext } from './request-context.ts'

interface Identified {
  node: InternalId
  keys: NodeKeys
  identity: Identity
}

const omits = ({ plan }: RequestContext): boolean => plan.onModelViolation === 'omit'

/**
 * Reports how a node breaks the model. A dry run continues and lists it.
 * @throws modelViolation (422), naming node, property and rule, under `onModelViolation: fail`.
 */
function reportViolation(context: RequestContext, { node, keys, identity }: Identified, violation: Violation): void {
  const { plan, report, observer } = context
  if (plan.onModelViolation === 'fail') {
    if (!observer) throw errors.modelViolation(`${nameOf(identity)} ${violation.problem}`)
    observeNode(context, node, keys, violation.problem)
  }
  report.model?.violation(violation, { label: identity.label, id: idText(identity.id) })
}

/** Reports how an upsert breaks the model, and what was left out of it. @throws as `reportViolation` */
export function reportVerdict(context: RequestContext, node: Identified, { violations, omitted }: Verdict): void {
  for (const violation of violations) reportViolation(context, node, violation)
  if (violations.length === 0 || !omits(context)) return
  context.report.model?.omitted('labels', violations.length - omitted.length)
  context.report.model?.omitted('properties', omitted.length)
  countSkipped(context, 'properties', omitted.length)
}

/**
 * Whether the model leaves out a node, also as an end of a relationship, because the node is identified by a label
 * without a node type, or by an id of a wrong type. @throws as `reportViolation`
 */
export function isRefused(context: RequestContext, node: Identified, violation: Violation): boolean {
  reportViolation(context, node, violation)
  if (!omits(context)) return false
  context.report.model?.omitted('nodes')
  return true
}

/** Whether the model leaves out a node that lacks a property its node type requires. @throws as `reportViolation` */
export function isIncomplete(context: RequestContext, keys: NodeRow, identity: Identity): boolean {
  const { node } = keys
  const properties = keys.properties.unmasked
  const { model, plan } = context
  if (!model || !plan.publishesNodes) return false
  let isBroken = false
  for (const key of model.required(identity.label)) {
    // Types matter only if properties of a wrong type are left out.
    const of = properties.kindOf(key)
    if (!omits(context) && of !== kind.absent) continue
    const violation = model.lacks(identity, key, of === kind.absent ? null : typeOf(of))
    if (violation === null) continue
    reportViolation(context, { node, keys, identity }, violation)
    isBroken = true
  }
  if (!isBroken || !omits(context)) return false
  context.report.model?.omitted('nodes')
  return true
}
