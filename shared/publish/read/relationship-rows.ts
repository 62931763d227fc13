import type { NodeKeys } from '../request/identity.ts'
import type { RelationshipType } from '../request/relationship-types.ts'
import type { Properties } from './columns.ts'
import { type InternalId, internalId } from './internal-ids.ts'
import { completeIds, keyColumns, nodeKeys } from './node-keys.ts'
import { type Reading, readProperties, rowsAtOnce } from './properties.ts'
import { completeZones } from './zone-offsets.ts'

export interface RelationshipRow {
  /** The targeted node that it was read from. */
  node: InternalId
  relationship: InternalId
  isOutgoing: boolean
  far: InternalId
  farKeys: NodeKeys
  properties: Properties
}

/** Relationships read together. */
export interface RelationshipGroup {
  rows: RelationshipRow[]
  /** The next group may contain relationships parallel to these. */
  isOpen: boolean
}

const kindOf = ({ plan: { relationshipIdField } }: Reading, { type, direction }: RelationshipType) => ({
  variable: 'r' as const,
  // Its start is asked where it is found: one that was deleted since has none.
  bound: ['r', 'n', 'm', ...(direction === 'both' ? ['startNode(r) = n'] : [])],
  kind: type,
  valueKeys: relationshipIdField === null ? [] : [relationshipIdField],
})

/** How many relationships of a type may be read at once, given their known size. */
export const relationshipsAtOnce = (reading: Reading, type: RelationshipType): number =>
  Math.min(reading.sizes.group, rowsAtOnce(reading.known, kindOf(reading, type)))

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
): Promise<RelationshipRow[] | null> {
  const { group } = reading.sizes
  const rows = await readRows(reading, type, { match: `${match} WITH n, r, m LIMIT ${group + 1}`, parameters })
  return rows && rows.length > group ? null : rows
}

/**
 * Reads relationships of a type together, however many.
 * @param match binds `n`, a targeted node, `r` and `m`, the node at the far end.
 * @returns null if they take more memory than may be held at once; a single one is read whatever its size.
 */
export async function readRows(
  reading: Reading,
  type: RelationshipType,
  query: { match: string; parameters: Record<string, unknown>; isOne?: boolean },
): Promise<RelationshipRow[] | null> {
  const { origin, plan, usualLabels } = reading
  const { identity: rule } = plan
  const labels = usualLabels.farEnds.ask()
  const found = await readProperties(reading, {
    ...query,
    ...kindOf(reading, type),
    head: (r, n, m, isOutgoing = String(type.direction === 'out')) => [
      ...[internalId(r), internalId(n), isOutgoing, internalId(m)],
      ...keyColumns(m, rule, labels.expressionFor(m)),
    ],
    parameters: { ...query.parameters, ...labels.parameters },
  })
  if (found === null) return null
  const rows: RelationshipRow[] = []
  for (const { row, at, properties } of found) {
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
