import type { RelationshipType } from '../../packet/kinds/cleanup.ts'
import { type Properties, readProperties } from '../origin/properties.ts'
import { absentShape } from '../origin/shapes.ts'
import { withoutDeletedRelationships } from './deleted.ts'
import { bindLabels } from './identifying-values.ts'
import { type InternalId, readInternalId } from './internal-ids.ts'
import { endColumns, maskNode, type NodeRow, readEnd } from './nodes.ts'
import { elementsOf, type Found, type Reading, type RowQuery, readRows, rowsAtOnce, withoutThese } from './reading.ts'
import { completeZones } from './zone-offsets.ts'

export interface RelationshipRow {
  /** The targeted node that it was read from. */
  node: InternalId
  relationship: InternalId
  isOutgoing: boolean
  far: NodeRow
  properties: Properties
}

/** Relationships read together. */
export interface RelationshipGroup {
  found: Found<RelationshipRow>
  /** The next group may contain relationships parallel to these. */
  isOpen: boolean
}

/** Labels and properties of the far end, properties of the relationship, and its start. */
const columnsAfterFar = 4

const kindOf = ({ type }: RelationshipType) => JSON.stringify(['relationships', type])

/** How many relationships of a type may be read at once, given their known size. */
export const relationshipsAtOnce = (reading: Reading, type: RelationshipType): number =>
  Math.min(reading.sizes.group, rowsAtOnce(reading, kindOf(type)))

/**
 * Reads relationships of a type together.
 * @param match binds `n`, a targeted node, `r` and `m`, the node at the far end.
 * @returns null if there are more than may be held at once.
 */
export async function readGroup(
  reading: Reading,
  type: RelationshipType,
  match: string,
  parameters: Record<string, unknown>,
): Promise<Found<RelationshipRow> | null> {
  const { group } = reading.sizes
  const limited = `${match} WITH n, r, m LIMIT ${group + 1}`
  return readRelationshipRows(reading, type, { match: limited, parameters, atMost: group })
}

/**
 * Reads relationships of a type together.
 * @param match binds `n`, a targeted node, `r` and `m`, the node at the far end.
 * @returns null if they are more than `atMost`, or take more memory than may be held at once; a single one is read
 * whatever its size.
 */
export async function readRelationshipRows(
  reading: Reading,
  type: RelationshipType,
  { match, ...size }: Pick<RowQuery, 'parameters' | 'isOne' | 'atMost'> & { match: string },
): Promise<Found<RelationshipRow> | null> {
  const { origin, plan, shapes } = reading
  const { direction } = type
  const bound = bindLabels(['m'], ['n', 'r', 'm'])
  const query = `${match} ${bound} RETURN id(r), id(n), ${endColumns('m')}, properties(r), id(startNode(r))`
  const parameters = { ...size.parameters, idProperties: plan.identity.byLabel }
  const rows = await readRows(reading, { ...size, query, parameters, kind: kindOf(type) })
  if (rows === null) return null
  const absent: { relationship: InternalId; nodes: InternalId[] }[] = []
  const loops = new Set<InternalId>()
  const found = elementsOf(reading, rows, kindOf(type), (row, source): RelationshipRow | null => {
    const relationship = readInternalId(row)
    const node = readInternalId(row)
    // The relationship was deleted before its row was read.
    if (row.passNull()) {
      absent.push({ relationship, nodes: [node] })
      for (let left = columnsAfterFar; left > 0; left--) row.skip()
      return null
    }
    const far = readEnd(reading, row, source)
    const properties = readProperties(row, shapes.relationships, source)
    // The start is read last: if the relationship was deleted while its row was read, it is another node.
    const start = row.passNull() ? null : readInternalId(row)
    const isOutgoing = start === node && direction !== 'in'
    const isIncoming = start === far.node && direction !== 'out'
    if ((isOutgoing || isIncoming) && properties.shape !== absentShape) {
      // Neo4j 4.3 returns a self-loop twice if it finds relationships by their type.
      if (far.node === node && loops.has(relationship)) return null
      if (far.node === node) loops.add(relationship)
      return { relationship, node, isOutgoing, far, properties }
    }
    absent.push({ relationship, nodes: [node] })
    return null
  })
  if (found === null) return null
  const { source } = found
  const asRead = ({ relationship, node, far }: RelationshipRow) => ({
    relationship,
    nodes: [node, far.node],
    ends: [far],
  })
  const elements = await withoutDeletedRelationships(reading, found.elements, asRead, absent)
  const gone = new Set<RelationshipRow>()
  for (const row of elements) {
    const { relationship, far } = row
    // Most rows lack none, and need not wait.
    const exists =
      (!row.properties.shape.lacksOffsets ||
        (await completeZones(origin, 'relationship', relationship, row, source, shapes.relationships))) &&
      (!far.properties.shape.lacksOffsets ||
        (await completeZones(origin, 'node', far.node, far, source, shapes.farEnds)))
    if (!exists) gone.add(row)
    maskNode(reading, far)
    if (reading.masker) row.properties = reading.masker.relationship(type.type, row.properties)
  }
  return { elements: withoutThese(elements, gone), release: () => rows.release() }
}
