import { isQuotable } from '../../../packet/cypher/identifiers.ts'
import { renderValue } from '../../../packet/values/render-value.ts'
import type { Rendered } from '../../../packet/values/values.ts'
import * as errors from '../../errors/catalogue.ts'
import { listIds } from '../../read/internal-ids.ts'
import { nodesAtOnce, readNodes } from '../../read/nodes.ts'
import { findTargets, type Targets, targetsOfSelection } from '../../read/targets.ts'
import { type Plan, withEveryType } from '../../request/plan.ts'
import { shown } from '../../validation/issues.ts'
import { NodeUpserts } from '../pairs/node-upserts.ts'
import { RelationshipUpserts } from '../pairs/relationship-upserts.ts'
import { createCleanup } from './cleanup/cleanup.ts'
import { createAbsence, writeAbsent, writeCleanups } from './cleanup/write-cleanups.ts'
import { identifyNodes, writeNodes } from './nodes.ts'
import { writeRelationships } from './relationships.ts'
import { type FoundByOwnId, findByRelationshipIds, writeFound } from './relationships-by-own-id.ts'
import { type RequestContext, reportMissing, type WriteContext, withSettings } from './request-context.ts'
import { createSeenIdentities } from './seen-identities.ts'

/** The elements a request is about, found before any of it is written. */
export interface Selection {
  /** With the types of the origin, if the request asks for every type. */
  plan: Plan
  found: FoundByOwnId | null
  targets: Targets
}

export async function select(context: RequestContext): Promise<Selection> {
  await context.maskCheck?.(context.origin, context.pathOf)
  const plan = await withTypes(context)
  if (context.listed) {
    const targets = await targetsOfSelection(context, context.listed, context.report.gone)
    return { plan, found: null, targets }
  }
  const found = plan.relationshipIds.length > 0 ? await findByRelationshipIds(context) : null
  const ends = found && plan.originIds.length === 0 ? found.ends : null
  const targets = ends ? { nodes: listIds(ends), rows: null, missing: [] } : await findTargets(context)
  return { plan, found, targets }
}

/** @throws unpublishable (422) if no statement can contain one of the types: nothing would keep its relationships */
async function withTypes({ plan, schema }: RequestContext): Promise<Plan> {
  if (plan.everyType === null) return plan
  const types = await schema.types()
  const odd = types.find((type) => !isQuotable(type))
  if (odd !== undefined)
    throw errors.unpublishable(`no statement can contain the relationship type "${shown(odd)}": name the others`)
  return withEveryType(plan, types)
}

/**
 * Whether a request may be selected while the previous one is written. A request with relationship ids may not: finding
 * them already writes to the report and to conflict detection.
 */
export const canBeSelectedAhead = ({ relationshipIds }: Plan): boolean => relationshipIds.length === 0

/**
 * Writes every pair of one request. Seed, Publish request; contract 4 and 5.
 * @param acceptedAt the packet's timestamp, epoch milliseconds.
 * @param interrupted throws when the build must stop.
 */
export async function writeRequest(
  given: RequestContext,
  { plan, found, targets: { nodes: targets, rows: known, missing } }: Selection,
  acceptedAt: number,
  interrupted: () => void,
): Promise<void> {
  const request = { ...given, plan }
  const { pairs, writer, listed } = request
  const absence = createAbsence(plan, missing, request.masker)
  const origin = listed?.length ?? new Set(plan.originIds).size - missing.length
  request.observer?.selected({ origin, targeted: targets.length })
  const stamp = stampOf(plan, acceptedAt)
  const context: WriteContext = {
    ...request,
    conflicts: absence.observing(request.conflicts),
    targets,
    seen: createSeenIdentities(plan, targets),
    cleanup: createCleanup(plan, pairs, targets),
    nodeUpserts: new NodeUpserts(plan, pairs, request.model),
    relationshipUpserts: new RelationshipUpserts(plan, pairs, stamp),
    stamp,
  }
  context.index?.stampedWith(plan.timestamp.stampsRelationships && stamp ? stamp.value.json : null)
  reportMissing(context, 'originIds', missing)
  if (found) await writeFound(context, found)
  let next = 0
  while (next < targets.length) {
    interrupted()
    const start = next
    const nodes = targets.slice(start, known ? targets.length : start + nodesAtOnce(context))
    const found = known ?? (await readNodes(context, nodes))
    if (found === null) continue // too large: row size is now known; retry with a smaller batch
    next += nodes.length
    const rows = found.elements
    if (listed && plan.toLayer.length === 0) context.report.gone(nodes.length - rows.length)
    const chunk = { start, nodes, rows, ...(await identifyNodes(context, rows)) }
    for (const [node, identity] of chunk.identities) context.seen.see(targets.positionOf(node), identity)
    context.cleanup.open(chunk)
    if (plan.publishesNodes) await writeNodes(context, chunk)
    else
      writer.updateMetadata(
        withSettings(plan, (metadata) => {
          for (const id of chunk.searchIds.values()) metadata.updated(id)
        }),
      )
    for (const type of plan.relationships) await writeRelationships(context, chunk, type)
    await writeCleanups(context, chunk)
    if (found !== known) found.release()
  }
  known?.release()
  await writeAbsent(context, absence)
}

function stampOf({ timestamp: { property: key }, identity }: Plan, acceptedAt: number) {
  return key === null ? null : { key, value: renderValue(BigInt(acceptedAt), identity.numbers) as Rendered }
}
