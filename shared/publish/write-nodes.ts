import { byCodePoint, isQuotable } from '../cypher/identifiers.ts'
import * as errors from '../errors/catalogue.ts'
import { type Identity, identityOf, idText, type NodeKeys } from './identity.ts'
import { fieldsOf } from './pairs.ts'
import { pairText } from './part-buffer.ts'
import type { Plan } from './plan.ts'
import { type InternalId, readNodeKeys, readNodes } from './reads.ts'
import { type Chunk, noted, noteSkipped, type Slice } from './slice.ts'
import { completeZones } from './zones.ts'

/**
 * The identity of each node, each proven to be its own, and its id for search if it takes part in that.
 * @throws unpublishable (422), naming the first that has no identity.
 */
export async function identifyNodes(
  slice: Slice,
  nodes: readonly InternalId[],
): Promise<Omit<Chunk, 'start' | 'nodes'>> {
  const { origin, plan, uniqueness } = slice
  const identities = new Map<InternalId, Identity>()
  const searchIds = new Map<InternalId, string>()
  const skipped = new Set<InternalId>()
  const searchIdField = plan.search?.idField ?? null
  for await (const { node, keys, searchId } of readNodeKeys(origin, plan.identity, nodes, searchIdField)) {
    const identity = await identify(slice, node, keys)
    if (identity) identities.set(node, identity)
    else skipped.add(node)
    if (identity && searchId !== null && isSearched(plan, keys.labels)) searchIds.set(node, String(searchId))
  }
  await uniqueness.check(plan.skips)
  for (const [node, identity] of identities) if (uniqueness.isDuplicate(identity)) skipped.add(node)
  for (const node of skipped) {
    identities.delete(node)
    searchIds.delete(node)
    noteSkipped(slice, 'nodes')
  }
  return { identities, searchIds, skipped }
}

/** Contract 4.18. */
function isSearched({ search }: Plan, labels: readonly string[]): boolean {
  if (search === null || labels.some((label) => search.prevented.includes(label))) return false
  return search.filter === null || labels.includes(search.filter)
}

/**
 * The identity of a node, noted for the check of uniqueness and for the report.
 * @returns null for one that has none and is to be skipped. @throws unpublishable (422) where it is not.
 */
export async function identify(
  { origin, plan, uniqueness, watch, report }: Pick<Slice, 'origin' | 'plan' | 'uniqueness' | 'watch' | 'report'>,
  node: InternalId,
  keys: NodeKeys,
): Promise<Identity | null> {
  const identity = await identityOfRead(origin, plan, node, keys)
  if ('problem' in identity) {
    if (plan.skips) return null
    throw errors.unpublishable(`${describeNode(node, keys)} ${identity.problem}`)
  }
  const id = keys.ids[plan.identity.columns.indexOf(identity.idProperty)]
  uniqueness.add(identity, id)
  watch.identified(node, keys, identity, id)
  report.identity(identity)
  return identity
}

async function identityOfRead(origin: Slice['origin'], { identity }: Plan, node: InternalId, keys: NodeKeys) {
  await completeZones(origin, 'node', node, { keys: identity.columns, values: keys.ids as unknown[] })
  return identityOf(identity, keys)
}

/** An upsert for each node of the chunk, and what belongs beside it. Seed, `metadata`; contract 4.7, 4.13 to 4.15, 4.17. */
export async function writeNodes(slice: Slice, { nodes, identities, searchIds }: Chunk): Promise<void> {
  const { origin, plan, pairs, watch, writer, stamp } = slice
  const excluded = [...plan.deletedProperties, ...plan.protectedNodeProperties]
  for await (const { node, keys, properties } of readNodes(origin, plan.identity, nodes)) {
    await completeZones(origin, 'node', node, properties)
    const about = describeNode(node, keys)
    const identity = await identityOfRead(origin, plan, node, keys)
    // One that was skipped, or has lost its identity since that was looked at.
    if (!identities.has(node) || 'problem' in identity) continue
    watch.published(node, keys.labels, identity)
    const skipped = plan.skips ? new Set<string>() : undefined
    const fields = fieldsOf(properties, { numbers: plan.identity.numbers, excluded, skipped })
    if ('problem' in fields) throw errors.unpublishable(`${about} ${fields.problem}`)
    for (const _ of skipped ?? []) noteSkipped(slice, 'properties')
    const protectedKeys = withSkipped(plan.protectedNodeProperties, skipped)
    const changes = { protectedKeys, ...labelChanges(plan, identity, keys.labels, about) }
    const note = noted(plan, (metadata) => {
      metadata.node(
        identity.idProperty,
        idText(identity.id),
        fields.map(({ key }) => key),
      )
      metadata.updated(searchIds.get(node))
      if (plan.timestamp?.postback && stamp) metadata.postsBack(`${pairText(pairs.postbackNode(identity, stamp))}null}`)
    })
    await writer.write(pairs.nodeUpsert(identity, fields, changes), about, note)
    const deleted = plan.deletedProperties.filter((key) => properties.keys.includes(key))
    if (deleted.length > 0)
      await writer.write(
        pairs.deleteProperties(identity, deleted),
        about,
        noted(plan, () => {}),
      )
  }
}

/**
 * Labels beside the identity's: those the node bears are added; of those that `dynamicLabels` lists for a label it bears,
 * the ones it lacks are removed. Seed, `dynamicLabels`; contract 4.15.
 */
function labelChanges(
  { dynamicLabels, skips }: Plan,
  { label: own }: Identity,
  labels: readonly string[],
  about: string,
) {
  const unquotable = labels.find((label) => !isQuotable(label))
  if (unquotable !== undefined && !skips) {
    throw errors.unpublishable(`${about} bears a label ${JSON.stringify(unquotable)} that no statement can name`)
  }
  const listed = new Set(labels.flatMap((label) => dynamicLabels.get(label) ?? []))
  return {
    added: labels.filter((label) => label !== own && isQuotable(label)).sort(byCodePoint),
    removed: [...listed].filter((label) => !labels.includes(label)).sort(byCodePoint),
  }
}

/** A skipped property is treated as a protected one, if a text can name it: skipping never deletes. Contract 4. */
export const withSkipped = (protectedKeys: readonly string[], skipped: ReadonlySet<string> = new Set()): string[] =>
  [...protectedKeys, ...[...skipped].filter(isQuotable)].sort(byCodePoint)

/** A node as an error names it: its labels and the origin's own id. */
export const describeNode = (node: InternalId, { labels }: NodeKeys): string =>
  `the node ${node} with ${labels.length === 0 ? 'no label' : `the labels ${labels.map((label) => `"${label}"`).join(', ')}`}`
