import type { Properties } from './columns.ts'
import type { NodeKeys } from './identity.ts'
import { eachNode, type InternalId, internalId } from './internal-ids.ts'
import { completeIds, keyColumns, nodeKeys } from './read-node-keys.ts'
import { type Reading, readProperties } from './read-properties.ts'
import { arrow, countRelationships } from './reads.ts'
import type { RelationshipType } from './relationship-types.ts'
import { completeZones } from './zones.ts'

export interface RelationshipRow {
  /** The targeted node that it was read from. */
  node: InternalId
  relationship: InternalId
  isOutgoing: boolean
  far: InternalId
  farKeys: NodeKeys
  properties: Properties
}

// Rows that are held at once: some 20 MB.
const rowsAtMost = 20_000

/**
 * Every relationship of a type at each of these nodes, in groups of bounded size: those of some of the nodes, or some of
 * those of one with very many. Parallel ones are in one group. One between two of the nodes is read from both, a
 * self-loop once.
 */
export async function* readRelationships(
  work: Reading,
  nodes: readonly InternalId[],
  type: RelationshipType,
): AsyncGenerator<RelationshipRow[]> {
  const rows = await readGroup(work, nodes, type, `WITH i, n, r, m LIMIT ${rowsAtMost + 1}`)
  if (rows.length <= rowsAtMost) return yield rows
  let group: InternalId[] = []
  let size = 0
  for await (const { node, count } of countRelationships(work.origin, nodes, type)) {
    if (size > 0 && size + count > rowsAtMost) {
      yield await readGroup(work, group, type)
      group = []
      size = 0
    }
    if (count > rowsAtMost) yield* readInParts(work, node, type, count)
    else {
      group.push(node)
      size += count
    }
  }
  if (size > 0) yield await readGroup(work, group, type)
}

/** Those to one far end are in one part, so that parallel ones stay together. */
async function* readInParts(work: Reading, node: InternalId, type: RelationshipType, count: number) {
  const parts = Math.ceil(count / rowsAtMost)
  for (let part = 0; part < parts; part++) {
    yield await readGroup(work, [node], type, `WITH i, n, r, m WHERE id(m) % ${parts} = ${part}`)
  }
}

async function readGroup(
  { origin, plan, known, usualLabels }: Reading,
  nodes: readonly InternalId[],
  type: RelationshipType,
  only = '',
): Promise<RelationshipRow[]> {
  const { identity: rule, relationshipIdField } = plan
  const isOutgoing = type.direction === 'both' ? 'startNode(r) = n' : String(type.direction === 'out')
  const labels = usualLabels.farEnds.ask('m')
  const found = await readProperties(origin, known, {
    match: `${eachNode} MATCH (n)${arrow('r', type)}(m) ${only}`,
    variable: 'r',
    head: [internalId('r'), internalId('n'), isOutgoing, internalId('m'), ...keyColumns('m', rule, labels.expression)],
    parameters: { nodes, ...labels.parameters },
    kind: type.type,
    asValues: relationshipIdField === null ? [] : [relationshipIdField],
  })
  const rows: RelationshipRow[] = []
  for (const { row, at, properties } of found ?? []) {
    const relationship = row[at] as InternalId
    const node = row[at + 1] as InternalId
    const far = row[at + 3] as InternalId
    const farKeys = nodeKeys(row, at + 4, rule, labels.read(row[at + 4]))
    if (origin.legacy) {
      await completeZones(origin, 'relationship', relationship, properties)
      await completeIds(origin, rule, far, farKeys)
    }
    rows.push({ node, relationship, isOutgoing: row[at + 2] === true, far, farKeys, properties })
  }
  return rows
}
