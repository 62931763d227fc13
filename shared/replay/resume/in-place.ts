import { quote } from '../../cypher/identifiers.ts'
import { join, type Template, template } from '../../cypher/parameters.ts'
import { idPattern } from '../../publish/pairs/statements/relationship-upsert.ts'
import { type Anchor, anchorPattern, named } from '../../publish/pairs/statements/statement.ts'
import type { Item } from '../order/batches.ts'
import { withRowFields } from '../order/over-rows.ts'
import { allRows } from '../preflight/queries.ts'
import type { Connection } from '../run/connection.ts'
import type { Structure } from '../statements/structure.ts'

/**
 * Looks for what upserts make: a node of the identity, or a relationship of the type between the identities, with its
 * own id if it has one. Does not compare properties. @returns the first item without it; null if there is none.
 */
export async function firstAbsent(
  connection: Connection,
  items: readonly Item[],
  signal: AbortSignal,
): Promise<Item | null> {
  for (const alike of Map.groupBy(items, ({ pair }) => pair.statement).values()) {
    const found = presence((alike[0] as Item).recognised)
    if (found === null) continue
    const query = `UNWIND range(0, size($rows) - 1) AS at WITH at, $rows[at] AS row ${withRowFields(found)}`
    const rows = await allRows(connection, query, { rows: alike.map(({ parameters }) => parameters) }, signal)
    const absent = rows.find(({ count }) => count === 0n)
    if (absent !== undefined) return alike[Number(absent.at)] as Item
  }
  return null
}

/** Counts what an upsert makes; null for other statements. */
function presence(it: Structure): Template | null {
  if (it.kind === 'nodeUpsert') return template`${optional('n', it.node, 'id')} RETURN at, count(n) AS count`
  if (it.kind !== 'relationshipUpsert') return null
  const { start, type, end } = it.ends
  const id = named(it.fields).find(({ key }) => key === it.idField) ?? null
  // Both ends first: as one pattern, every relationship of a hub would be visited for each row.
  const ends = join([optional('a', start, 'a_id'), optional('b', end, 'b_id')], ' ')
  const between = template`OPTIONAL MATCH (a)-[r:${quote(type)}${idPattern(id)}]->(b)`
  return template`${ends} ${between} RETURN at, count(r) AS count`
}

const optional = (variable: string, node: Anchor, parameter: string): Template =>
  template`OPTIONAL MATCH ${anchorPattern(variable, node, parameter)}`
