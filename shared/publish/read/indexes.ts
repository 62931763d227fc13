import type { Origin } from '../../origin/connect.ts'

/** An index that can compare one property with values of any type; `of` is its label or relationship type. */
interface Index {
  of: string
  property: string
}

/** Reads the indexes of nodes or relationships; null if the origin does not say. Neo4j 3.5 indexes nodes only. */
export async function readIndexes(origin: Origin, entity: 'NODE' | 'RELATIONSHIP'): Promise<Index[] | null> {
  if (origin.legacy && entity === 'RELATIONSHIP') return []
  const rows = await origin.ask(
    origin.legacy
      ? "CALL db.indexes() YIELD type, state, tokenNames, properties RETURN type, state, 'NODE', tokenNames, properties"
      : 'SHOW INDEXES YIELD type, state, entityType, labelsOrTypes, properties',
  )
  return (
    rows?.flatMap(([kind, state, owner, names, keys]) => {
      const [of, property, more] = [...((names as string[] | null) ?? []), ...((keys as string[] | null) ?? [])]
      const isUsable = comparing.includes(kind as string) && state === 'ONLINE' && owner === entity
      return isUsable && of !== undefined && property !== undefined && more === undefined ? [{ of, property }] : []
    }) ?? null
  )
}

const comparing = ['RANGE', 'BTREE', 'node_label_property', 'node_unique_property']
