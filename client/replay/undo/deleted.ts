import type { Relationship } from 'neo4j-driver'
import { template } from '../../../packet/cypher/parameters.ts'
import { staleRelationships } from '../../../packet/kinds/cleanup.ts'
import { relationshipsToDelete } from '../../../packet/kinds/relationship-delete.ts'
import { anchorPattern, type IdentifiedNode } from '../../../packet/kinds/statement.ts'
import { cut, type Item } from '../order/batches.ts'
import { withRowFields } from '../order/over-rows.ts'
import { namedBy } from './facts.ts'
import type { Images } from './images.ts'
import { spared } from './spared.ts'
import { type SeenEnds, seen, type TargetReader } from './target-reader.ts'

interface Deleted extends SeenEnds {
  found: Relationship[]
}

/** Saves the relationships that the items delete: all that a cleanup does not keep, all of a deleted node, and others. */
export async function saveDeleted(items: readonly Item[], reader: TargetReader, images: Images): Promise<void> {
  for (const alike of Map.groupBy(items, ({ recognised }) => recognised.statement).values()) {
    const query = queryOf(alike[0] as Item)
    if (query === null) continue
    for await (const deleted of reader.read<Deleted>(query, alike.flatMap(rowsOf))) {
      await images.relationships(await reader.identifyEnds(deleted), deleted.found)
    }
  }
}

function rowsOf(item: Item): object[] {
  if (item.recognised.kind === 'nodeDelete')
    return namedBy(item).map(({ value }) => ({ ...spared(item, 'n').parameters, id: value }))
  return cut(item, 1).map((one) => one.parameters)
}

/** Finds what the statement would delete. */
function queryOf(item: Item): string | null {
  const found = foundBy(item)
  if (found === null) return null
  const grouped = 'WITH startNode(r) AS a, endNode(r) AS b, type(r) AS type, collect(DISTINCT r) AS found'
  return `UNWIND $rows AS row ${found} ${grouped} RETURN ${seen('a')} AS start, type, ${seen('b')} AS end, found`
}

function foundBy(item: Item): string | null {
  const { recognised } = item
  if (recognised.kind === 'cleanup') {
    const { node, type, clauses } = recognised
    return withRowFields(staleRelationships(node, type, clauses)).replace(/^WITH /, 'WITH row, ')
  }
  if (recognised.kind === 'relationshipDelete') {
    const { ends, id } = recognised
    return `${withRowFields(relationshipsToDelete(ends, id))} WITH r WHERE r IS NOT NULL`
  }
  if (recognised.kind !== 'nodeDelete') return null
  const [node] = recognised.identities as [IdentifiedNode]
  return withRowFields(template`MATCH ${anchorPattern('n', node, 'id')}${spared(item, 'n').where} MATCH (n)-[r]-()`)
}
