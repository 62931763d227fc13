import type { Origin } from '../../origin/connect.ts'
import { byCodePoint } from '../../packet/cypher/identifiers.ts'
import { malformed } from '../../packstream/cursor.ts'
import { readIndexes } from './indexes.ts'

/** What an origin's schema says about relationships; queried on first use. */
export interface RelationshipSchema {
  /** All relationship types, sorted. A type created later is included after `renewed`. */
  types(): Promise<readonly string[]>
  /** The types with an index that finds relationships by this property; null if the origin does not say. */
  indexedBy(property: string): Promise<ReadonlySet<string> | null>
  /** Call this when the origin's read transaction was replaced. */
  renewed(): void
}

export function createRelationshipSchema(origin: Origin): RelationshipSchema {
  let types: Promise<string[]> | null = null
  let indexes: ReturnType<typeof readIndexes> | null = null
  return {
    types() {
      types ??= readTypes(origin)
      return types
    },
    async indexedBy(property) {
      // Cached across transactions: a new or dropped index changes how long a query takes, not its rows.
      indexes ??= readIndexes(origin, 'RELATIONSHIP')
      const found = await indexes
      return found && new Set(found.flatMap((index) => (index.property === property ? [index.of] : [])))
    },
    renewed() {
      types = null
    },
  }
}

/**
 * Relationship types of an origin. Beyond it the publish fails with `502 originBroke`: an origin that sends more may
 * never end.
 */
const mostTypes = 200_000

async function readTypes(origin: Origin): Promise<string[]> {
  const types: string[] = []
  const query = 'CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType'
  await origin.each(query, {}, (row) => {
    if (types.length === mostTypes) throw malformed(`there are more than ${mostTypes} relationship types`)
    types.push(row.text())
  })
  return types.sort(byCodePoint)
}
