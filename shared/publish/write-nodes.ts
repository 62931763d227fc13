import { byCodePoint, isQuotable } from '../cypher/identifiers.ts'
import * as errors from '../errors/catalogue.ts'
import { type Identity, identityOf, idText, type NodeKeys } from './identity.ts'
import { fieldsOf } from './pairs.ts'
import { pairText } from './part-buffer.ts'
import type { Plan } from './plan.ts'
import { type InternalId, readNodeKeys, readNodes } from './reads.ts'
import { type Chunk, noted, type Slice } from './slice.ts'
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
  for await (const { node, keys, searchId } of readNodeKeys(
    origin,
    plan.identity,
    nodes,
    plan.search?.idField ?? null,
  )) {
    identities.set(node, await identify(slice, node, keys))
    if (searchId !== null && isSearched(plan, keys.labels)) searchIds.set(node, String(searchId))
  }
  await uniqueness.check()
  return { identities, searchIds }
}

/** Contract 4.18. */
function isSearched({ search }: Plan, labels: readonly string[]): boolean {
  if (search === null || labels.some((label) => search.prevented.includes(label))) return false
  return search.filter === null || labels.includes(search.filter)
}

/** The identity of a node, noted for the check of uniqueness and for the report. @throws unpublishable (422) */
export async function identify(
  { origin, plan, uniqueness, report }: Pick<Slice, 'origin' | 'plan' | 'uniqueness' | 'report'>,
  node: InternalId,
  keys: NodeKeys,
): Promise<Identity> {
  await completeZones(origin, 'node', node, { keys: plan.identity.columns, values: keys.ids as unknown[] })
  const identity = required(plan, node, keys)
  uniqueness.add(identity, keys.ids[plan.identity.columns.indexOf(identity.idProperty)])
  report.identity(identity)
  return identity
}

function required(plan: Plan, node: InternalId, keys: NodeKeys): Identity {
  const identity = identityOf(plan.identity, keys)
  if ('problem' in identity) throw errors.unpublishable(`${describeNode(node, keys)} ${identity.problem}`)
  return identity
}

/** An upsert for each node of the chunk, and what belongs beside it. Seed, `metadata`; contract 4.7, 4.13 to 4.15, 4.17. */
export async function writeNodes(slice: Slice, { nodes, searchIds }: Chunk): Promise<void> {
  const { origin, plan, pairs, writer, stamp } = slice
  const excluded = [...plan.deletedProperties, ...plan.protectedNodeProperties]
  for await (const { node, keys, properties } of readNodes(origin, plan.identity, nodes)) {
    await completeZones(origin, 'node', node, properties)
    const about = describeNode(node, keys)
    const identity = required(plan, node, keys)
    const fields = fieldsOf(properties, { numbers: plan.identity.numbers, excluded })
    if ('problem' in fields) throw errors.unpublishable(`${about} ${fields.problem}`)
    const changes = { protectedKeys: plan.protectedNodeProperties, ...labelChanges(plan, identity, keys.labels, about) }
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
function labelChanges({ dynamicLabels }: Plan, { label: own }: Identity, labels: readonly string[], about: string) {
  const unquotable = labels.find((label) => !isQuotable(label))
  if (unquotable !== undefined) {
    throw errors.unpublishable(`${about} bears a label ${JSON.stringify(unquotable)} that no statement can name`)
  }
  const listed = new Set(labels.flatMap((label) => dynamicLabels.get(label) ?? []))
  return {
    added: labels.filter((label) => label !== own).sort(byCodePoint),
    removed: [...listed].filter((label) => !labels.includes(label)).sort(byCodePoint),
  }
}

/** A node as an error names it: its labels and the origin's own id. */
export const describeNode = (node: InternalId, { labels }: NodeKeys): string =>
  `the node ${node} with ${labels.length === 0 ? 'no label' : `the labels ${labels.map((label) => `"${label}"`).join(', ')}`}`
