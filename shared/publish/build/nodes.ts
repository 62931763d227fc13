import { isUndecodable } from '../../cypher/values.ts'
import * as errors from '../../errors/catalogue.ts'
import { typeOf } from '../model/data-types.ts'
import { nothingBroken } from '../model/model-rules.ts'
import { describeNode, labelProblems, NodeUpserts } from '../pairs/node-upserts.ts'
import { wholePair } from '../pairs/pair.ts'
import { propertyProblem } from '../pairs/pair-maker.ts'
import { propertyOf } from '../read/columns.ts'
import type { InternalId } from '../read/internal-ids.ts'
import type { NodeRow } from '../read/nodes.ts'
import { readAsValues } from '../read/properties.ts'
import { type Identity, identityOf, idText, type NodeKeys } from '../request/identity.ts'
import type { Plan } from '../request/plan.ts'
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
    const { node, keys, properties } = row
    const identity = identify(context, node, keys)
    if (identity && !isIncomplete(context, row, identity)) identities.set(node, identity)
    else skipped.add(node)
    const searchId = plan.search && propertyOf(properties, plan.search.idField)
    if (identity && searchId !== null && isSearched(plan, keys.labels)) {
      if (hasText(searchId)) searchIds.set(node, String(searchId))
      else leaveOutSearchId(context, row)
    }
  }
  await uniqueness.check(onDuplicate(context))
  for (const [node, identity] of identities) if (uniqueness.isDuplicate(identity)) skipped.add(node)
  for (const node of skipped) {
    identities.delete(node)
    searchIds.delete(node)
    countSkipped(context, 'nodes')
  }
  return { identities, searchIds, skipped }
}

/** Contract 4.18. */
function isSearched({ search }: Plan, labels: readonly string[]): boolean {
  if (search === null || labels.some((label) => search.prevented.includes(label))) return false
  return search.filter === null || labels.includes(search.filter)
}

/** What the driver cannot decode throws when it is turned into text. */
const hasText = (value: unknown): boolean => !(Array.isArray(value) ? value.some(isUndecodable) : isUndecodable(value))

/** @throws unpublishable (422) if the node's search id is not to be skipped. */
function leaveOutSearchId(context: RequestContext, { node, keys, properties }: NodeRow) {
  const { plan } = context
  const key = plan.search?.idField as string
  const problem = propertyProblem(key, propertyOf(properties, key))
  if (!plan.skips) throw errors.unpublishable(`${describeNode(node, keys)} ${problem}`)
  observeNode(context, node, keys, problem)
  // A published property is counted with its node.
  const isPublished =
    plan.publishesNodes && ![plan.protectedNodeProperties, plan.deletedProperties].flat().includes(key)
  if (!isPublished) countSkipped(context, 'properties')
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
  const id = keys.ids[plan.identity.columns.indexOf(identity.idProperty)]
  // Told even of a node that the model refuses: it exists, so nothing may be cleaned up as if it did not.
  conflicts.identified(node, keys, identity, id)
  const violation = model ? model.identity(identity, typeOf(id)) : null
  if (violation && isRefused(context, { node, keys, identity }, violation)) return null
  uniqueness.add(identity, id)
  report.identity(identity)
  return identity
}

/**
 * Writes an upsert for each node of the chunk, with its metadata and property removals. Seed, `metadata`; contract 4.7,
 * 4.13 to 4.15, 4.17.
 */
export async function writeNodes(context: WriteContext, { rows, identities, searchIds }: Chunk): Promise<void> {
  const { origin, plan, pairs, conflicts, writer, stamp } = context
  const upserts = new NodeUpserts(plan, pairs, context.model)
  // The node being written: `describe` and `update` are called before the next one is set.
  let current = {} as { row: NodeRow; identity: Identity; published: readonly string[] }
  const describe = () => describeNode(current.row.node, current.row.keys)
  const update = withSettings(plan, (metadata) => {
    const { row, identity, published } = current
    metadata.node(identity.idProperty, idText(identity.id), published)
    metadata.updated(searchIds.get(row.node))
    if (!plan.timestamp.postback || !stamp) return
    metadata.postsBack(wholePair(pairs.postbackNode(identity, stamp)))
  })
  const updateSettings = withSettings(plan, () => {})
  for (const row of rows) {
    const { node, keys, properties } = row
    const identity = identities.get(node)
    if (!identity) continue
    current = { row, identity, published: [] }
    conflicts.published(node, keys.labels, identity)
    if (context.observer) for (const problem of labelProblems(keys.labels)) observeNode(context, node, keys, problem)
    const made = upserts.fromColumns(identity, keys.labels, properties, describe)
    if (made) {
      current.published = made.keys
      if (made.verdict !== nothingBroken) reportVerdict(context, { node, keys, identity }, made.verdict)
      const full = writer.add(made.bytes, 'nodeUpsert', describe, update)
      if (full) await full
    } else {
      const values = await readAsValues(origin, 'n', node, properties)
      if (values === null) continue
      const upsert = upserts.fromValues(identity, keys.labels, values, describe)
      current.published = upsert.keys
      reportVerdict(context, { node, keys, identity }, upsert.verdict)
      countSkipped(context, 'properties', upsert.skipped.size)
      for (const key of upsert.skipped) {
        observeNode(context, node, keys, propertyProblem(key, propertyOf(values, key)))
      }
      await writer.write(upsert.pair, describe, update)
    }
    if (plan.deletedProperties.length === 0) continue
    const deleted = plan.deletedProperties.filter((key) => propertyOf(properties, key) !== null)
    if (deleted.length > 0) await writer.write(pairs.deleteProperties(identity, deleted), describe, updateSettings)
  }
}
