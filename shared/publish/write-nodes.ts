import { isQuotable } from '../cypher/identifiers.ts'
import * as errors from '../errors/catalogue.ts'
import { type Identity, identityOf, idText, type NodeKeys } from './identity.ts'
import { fieldsOf } from './pairs.ts'
import type { Plan } from './plan.ts'
import { type InternalId, readNodeKeys, readNodes } from './reads.ts'
import { type Chunk, noted, type Slice } from './slice.ts'
import { completeZones } from './zones.ts'

/** The identity of each node, each proven to be its own. @throws unpublishable (422), naming the first that has none. */
export async function identifyNodes(slice: Slice, nodes: readonly InternalId[]): Promise<Map<InternalId, Identity>> {
  const { origin, plan, uniqueness } = slice
  const identities = new Map<InternalId, Identity>()
  for await (const { node, keys } of readNodeKeys(origin, plan.identity, nodes)) {
    identities.set(node, await identify(slice, node, keys))
  }
  await uniqueness.check()
  return identities
}

/** The identity of a node, noted for the check of uniqueness and for the report. @throws unpublishable (422) */
export async function identify(slice: Slice, node: InternalId, keys: NodeKeys): Promise<Identity> {
  const { origin, plan, uniqueness, report } = slice
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

/** An upsert for each node of the chunk. Seed, `metadata`; contract 4.7. */
export async function writeNodes({ origin, plan, pairs, writer }: Slice, { nodes }: Chunk): Promise<void> {
  for await (const { node, keys, properties } of readNodes(origin, plan.identity, nodes)) {
    await completeZones(origin, 'node', node, properties)
    const about = describeNode(node, keys)
    const identity = required(plan, node, keys)
    const fields = fieldsOf(properties)
    if ('problem' in fields) throw errors.unpublishable(`${about} ${fields.problem}`)
    const unquotable = keys.labels.find((label) => !isQuotable(label))
    if (unquotable !== undefined) {
      throw errors.unpublishable(`${about} bears a label ${JSON.stringify(unquotable)} that no statement can name`)
    }
    await writer.write(
      pairs.nodeUpsert(identity, fields, keys.labels),
      about,
      noted(plan, (metadata) =>
        metadata.node(
          identity.idProperty,
          idText(identity.id),
          fields.map(({ key }) => key),
        ),
      ),
    )
  }
}

/** A node as an error names it: its labels and the origin's own id. */
export const describeNode = (node: InternalId, { labels }: NodeKeys): string =>
  `the node ${node} with ${labels.length === 0 ? 'no label' : `the labels ${labels.map((label) => `"${label}"`).join(', ')}`}`
