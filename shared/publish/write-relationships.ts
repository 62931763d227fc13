import * as errors from '../errors/catalogue.ts'
import type { Identity } from './identity.ts'
import { fieldsOf, type PropertyField } from './pairs.ts'
import { type InternalId, type RelationshipRow, readRelationships } from './reads.ts'
import type { RelationshipType } from './relationship-types.ts'
import { type Chunk, noted, type Slice } from './slice.ts'
import { positionOf } from './targets.ts'
import { identify } from './write-nodes.ts'
import { completeZones } from './zones.ts'

interface Upsert {
  relationship: InternalId
  start: Identity
  end: Identity
  fields: PropertyField[]
}

/**
 * An upsert for each relationship of a type at the chunk's nodes, and what cleanup must keep, from the same rows.
 * Seed, `relationships`; contract 4.8, 4.11 and 5. A relationship between two targeted nodes belongs to the chunk that
 * sees it first: that one publishes it and tells the keep-lists of both ends, so that they never disagree.
 */
export async function writeRelationships(slice: Slice, chunk: Chunk, type: RelationshipType): Promise<void> {
  const { origin, plan, pairs, writer, uniqueness, report } = slice
  const seen = new Set<InternalId>()
  const upserts = new Map<string, Upsert>()
  let collapsed = 0
  for await (const row of readRelationships(origin, plan.identity, chunk.nodes, type)) {
    const near = chunk.identities.get(row.node)
    const farPosition = positionOf(slice.targets.nodes, row.far)
    const isEarlier = type.direction === 'both' && farPosition !== -1 && farPosition < chunk.start
    if (near === undefined || isEarlier || seen.has(row.relationship)) continue
    seen.add(row.relationship)
    const far = await identify(slice, row.far, row.farKeys)
    if (plan.cleansUp) keep(slice, type, row, near, far, farPosition !== -1)
    await completeZones(origin, 'relationship', row.relationship, row)
    const upsert = upsertOf(type, row, near, far)
    const ends = row.isOutgoing ? `${row.node} ${row.far}` : `${row.far} ${row.node}`
    const parallel = upserts.get(ends)
    if (parallel) collapsed++
    if (!parallel || isSmaller(row.relationship, parallel.relationship)) upserts.set(ends, upsert)
  }
  await uniqueness.check()
  const note = noted(plan, (metadata) => metadata.relationship(type.type))
  for (const { relationship, start, end, fields } of upserts.values()) {
    await writer.write(pairs.relationshipUpsert(start, type.type, end, fields), describe(type, relationship), note)
  }
  if (collapsed === 0) return
  report.collapsed(collapsed)
  writer.note((metadata) => metadata.collapsed(collapsed))
}

function keep(
  { keepLists }: Slice,
  { type, direction }: RelationshipType,
  row: RelationshipRow,
  near: Identity,
  far: Identity,
  isTargeted: boolean,
) {
  keepLists.keep(row.node, type, row.isOutgoing ? 'out' : 'in', far)
  const isSeenFromFar = direction === 'both' && isTargeted && row.far !== row.node
  if (isSeenFromFar) keepLists.keep(row.far, type, row.isOutgoing ? 'in' : 'out', near)
}

function upsertOf(type: RelationshipType, row: RelationshipRow, near: Identity, far: Identity): Upsert {
  const fields = fieldsOf(row)
  if ('problem' in fields) throw errors.unpublishable(`${describe(type, row.relationship)} ${fields.problem}`)
  const [start, end] = row.isOutgoing ? [near, far] : [far, near]
  return { relationship: row.relationship, start, end, fields }
}

/** Parallel relationships collapse to the one whose element id is smallest as text. Contract 5. */
const isSmaller = (a: InternalId, b: InternalId) => String(a) < String(b)

const describe = ({ type }: RelationshipType, id: InternalId) => `the relationship ${id} of type "${type}"`
