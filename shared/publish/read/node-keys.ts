import { quote } from '../../cypher/identifiers.ts'
import type { Origin } from '../../origin/connect.ts'
import type { Row } from '../../origin/results.ts'
import type { IdentityRule, NodeKeys } from '../request/identity.ts'
import type { InternalId } from './internal-ids.ts'
import { completeZones } from './zone-offsets.ts'

/** What to return of a node to identify it. Each is an expression of its own: the id property may be `index`. */
export function keyColumns(variable: string, { columns }: IdentityRule, labels = `labels(${variable})`): string[] {
  return [labels, ...['index', ...columns].map((key) => `${variable}.${quote(key)}`)]
}

/** The same from a row in which these begin at a position. */
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

/** Ids of an origin that speaks Bolt 3. */
export const completeIds = (origin: Origin, { columns }: IdentityRule, node: InternalId, { ids }: NodeKeys) =>
  completeZones(origin, 'node', node, { keys: columns, values: ids as unknown[] })
