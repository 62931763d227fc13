import { type Identity, idText } from '../../../packet/identity.ts'
import { wholePair } from '../../../packet/pair.ts'
import { isUndecodable } from '../../../packet/values/render-value.ts'
import * as errors from '../../errors/catalogue.ts'
import type { InternalId } from '../../read/internal-ids.ts'
import type { NodeRow } from '../../read/nodes.ts'
import { identityOf, type NodeKeys, otherIdentitiesOf } from '../../request/identity.ts'
import { typeOf } from '../../request/model/data-types.ts'
import { nothingBroken } from '../../request/model/model-rules.ts'
import type { Plan } from '../../request/plan.ts'
import { describeNode, labelProblems } from '../pairs/node-upserts.ts'
import { propertyProblem } from '../pairs/upserts.ts'
import type { Chunk, IdentifiedNodes } from './chunk.ts'
import { isIncomplete, isRefused, reportVerdict } from './model-violations.ts'
import { observeNode, onDuplicate } from './observer.ts'
import { countSkipped, type RequestContext, type WriteContext, withSettings } from './request-context.ts'

/**
 * Determines the identity of each node, checks that it is unique, and collects the ids for search.
 * @throws unpublishable (422), naming the first node without an identity.
 */
export async function identifyNodes(context: RequestContext, rows: readonly NodeRow[]): Promise<IdentifiedNodes> {
  const { plan, uniqueness } = context
  const identities = new Map<InternalId, Identity>()
  const searchIds = new Map<InternalId, string>()
  const skipped = new Set<InternalId>()
  for (const row of rows) {
    const { node, labels } = row
    const identity = identify(context, node, row)
    if (identity && !isIncomplete(context, row, identity)) identities.set(node, identity)
    else skipped.add(node)
    if (identity && skipped.has(node)) context.index?.keep(identity)
    if (identity === null && plan.selectors) countUnidentified(context, row)
    if (identity && plan.search && isSearched(plan, labels)) addSearchId(context, row, searchIds)
  }
  await uniqueness.check(onDuplicate(context))
  for (const [node, identity] of identities) {
    if (!uniqueness.isDuplicate(identity)) continue
    skipped.add(node)
    context.index?.keep(identity)
  }
  for (const node of skipped) {
    identities.delete(node)
    searchIds.delete(node)
    countSkipped(context, 'nodes')
  }
  return { identities, searchIds, skipped }
}

/** Counts a selected node that has no identity, by the label that should identify it. */
function countUnidentified({ plan: { identity }, report }: RequestContext, row: NodeRow): void {
  // A model may also refuse the identity.
  if (!('problem' in identityOf(identity, row))) return
  const { labels } = row
  report.withoutIdentity(labels.find((label) => identity.idProperties.has(label)) ?? labels[0] ?? '')
}

/** Contract 4.18. */
function isSearched({ search }: Plan, labels: readonly string[]): boolean {
  if (search === null || labels.some((label) => search.prevented.includes(label))) return false
  return search.filter === null || labels.includes(search.filter)
}

/** @throws unpublishable (422) if the search id has no text and the request does not skip it. */
function addSearchId(context: RequestContext, row: NodeRow, searchIds: Map<InternalId, string>) {
  const { plan } = context
  const { node, properties } = row
  const key = plan.search?.idField as string
  const index = properties.shape.indexOf(key)
  if (index === -1) return
  const text = properties.text(key) ?? textOf(properties.value(key))
  if (text !== null) {
    searchIds.set(node, text)
    return
  }
  const problem = propertyProblem(properties, index)
  if (!plan.skips) throw errors.unpublishable(`${describeNode(node, row)} ${problem}`)
  observeNode(context, node, row, problem)
  // A published property is counted with its node.
  const isPublished =
    plan.publishesNodes && ![plan.protectedNodeProperties, plan.deletedProperties].flat().includes(key)
  if (!isPublished) countSkipped(context, 'properties')
}

/** null if the driver cannot decode the value, or an element of the list. */
function textOf(value: unknown): string | null {
  const hasText = !(Array.isArray(value) ? value.some(isUndecodable) : isUndecodable(value))
  return hasText ? String(value) : null
}

/**
 * Determines a node's identity, and registers it for the uniqueness check, conflict detection and the report.
 * @returns null for a node without identity that is to be skipped.
 * @throws unpublishable (422) if it is not to be skipped.
 */
export function identify(
  context: RequestContext,
  node: InternalId,
  keys: NodeKeys,
  identity = identityOf(context.plan.identity, keys),
): Identity | null {
  const { plan, uniqueness, conflicts, report, model } = context
  if ('problem' in identity) {
    if (plan.skips) {
      observeNode(context, node, keys, identity.problem)
      return null
    }
    throw errors.unpublishable(`${describeNode(node, keys)} ${identity.problem}`)
  }
  if (context.index && keys.labels.length > 1)
    context.index.alsoFoundBy(identity, otherIdentitiesOf(plan.identity, keys, identity))
  // Record the node even if the model refuses it: it exists, so no cleanup may treat it as missing.
  conflicts.identified(node, keys, identity)
  const violation = model
    ? model.identity(identity, typeOf(keys.properties.unmasked.kindOf(identity.idProperty)))
    : null
  if (violation && isRefused(context, { node, keys, identity }, violation)) {
    context.index?.keep(identity)
    return null
  }
  uniqueness.add(identity, keys.properties)
  report.identity(identity)
  context.observer?.identified(identity)
  return identity
}

/**
 * Writes an upsert for each node of the chunk, with its metadata and property removals. Seed, `metadata`; contract 4.7,
 * 4.13 to 4.15, 4.17.
 */
export async function writeNodes(context: WriteContext, { rows, identities, searchIds }: Chunk): Promise<void> {
  const { plan, pairs, conflicts, writer, stamp, nodeUpserts } = context
  // The node being written: `describe` and `update` are called before the next one is set.
  let current = {} as { row: NodeRow; identity: Identity; published: readonly string[] }
  const describe = () => describeNode(current.row.node, current.row)
  const update = withSettings(plan, (metadata) => {
    const { row, identity, published } = current
    metadata.node(identity.idProperty, row.properties.text(identity.idProperty) ?? idText(identity.id), published)
    metadata.updated(searchIds.get(row.node))
    if (!plan.timestamp.postback || !stamp) return
    metadata.postsBack(wholePair(pairs.postbackNode(identity, stamp)))
  })
  const updateSettings = withSettings(plan, () => {})
  for (const row of rows) {
    const { node, labels, properties } = row
    const identity = identities.get(node)
    if (!identity) continue
    current = { row, identity, published: [] }
    conflicts.published(node, labels, identity)
    context.observer?.masked(identity.label, properties)
    if (context.observer) for (const problem of labelProblems(labels)) observeNode(context, node, row, problem)
    const made = nodeUpserts.shapeOf(identity, row, describe)
    current.published = made.keys
    if (made.verdict !== nothingBroken) reportVerdict(context, { node, keys: row, identity }, made.verdict)
    countSkipped(context, 'properties', made.skipped.length)
    for (const index of made.skipped) observeNode(context, node, row, propertyProblem(properties, index))
    const full = writer.add(nodeUpserts.bytesOf(made, identity, row, describe), made.topic, describe, update)
    if (full) await full
    const deleted = plan.deletedProperties.filter((key) => properties.shape.indexOf(key) !== -1)
    if (deleted.length > 0) await writer.write(pairs.deleteProperties(identity, deleted), describe, updateSettings)
  }
}
