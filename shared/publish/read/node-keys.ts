import { quote } from '../../cypher/identifiers.ts'
import type { Origin } from '../../origin/connect.ts'
import type { Row } from '../../origin/results.ts'
import type { IdentityRule, NodeKeys } from '../request/identity.ts'
import type { InternalId } from './internal-ids.ts'
import { completeZones } from './zone-offsets.ts'

/** The expressions that return what identifies a node. One per key, even if equal: the id property may be `index`. */
export function keyColumns(variable: string, { columns }: IdentityRule, labels = `labels(${variable})`): string[] {
  return [labels, ...['index', ...columns].map((key) => `${variable}.${quote(key)}`)]
}

/** Reads the same from a row in which these expressions begin at a position. */
export const nodeKeys = (
  row: Row,
  at: number,
  { columns }: IdentityRule,
  labels = row[at] as readonly string[],
): NodeKeys => ({
  labels,
  index: row[at + 1],
  ids: row.slice(at + 2, at + 2 + columns.length),
})

/** Completes the zoned datetimes among a node's ids, for an origin that speaks Bolt 3. */
export const completeIds = (origin: Origin, { columns }: IdentityRule, node: InternalId, { ids }: NodeKeys) =>
  completeZones(origin, 'node', node, { keys: columns, values: ids as unknown[] })
