import { isQuotable, quote } from '../../cypher/identifiers.ts'
import type { Origin } from '../../origin/connect.ts'
import type { Row } from '../../origin/results.ts'
import type { IdentityRule, NodeKeys } from '../request/identity.ts'
import type { Properties } from './columns.ts'
import { type InternalId, internalId } from './internal-ids.ts'
import { completeIds, keyColumns, nodeKeys } from './node-keys.ts'
import { fromLists, listsOf } from './properties.ts'
import type { RelationshipSchema } from './relationship-schema.ts'
import { completeZones } from './zone-offsets.ts'

export interface FoundRelationship {
  relationship: InternalId
  type: string
  start: { node: InternalId; keys: NodeKeys }
  end: { node: InternalId; keys: NodeKeys }
  properties: Properties
}

/**
 * Finds relationships of any type whose property `field` is among `values`. Seed, `relationshipIds`.
 * @param onMissingIndex receives each type that could have an index on the property but has none: all its
 * relationships are scanned.
 */
export async function* findRelationships(
  origin: Origin,
  schema: RelationshipSchema,
  rule: IdentityRule,
  field: string,
  values: readonly unknown[],
  onMissingIndex: (index: { type: string; property: string }) => void,
): AsyncGenerator<FoundRelationship> {
  const ids = ['r', 'a', 'b'].map(internalId)
  const expressions = [...listsOf('r'), 'type(r)', ...ids, ...keyColumns('a', rule), ...keyColumns('b', rule)]
  const width = 2 + rule.columns.length
  const indexed = await schema.indexedBy(field)
  const types = await schema.types()
  if (indexed && !origin.legacy)
    for (const type of types) if (!indexed.has(type)) onMissingIndex({ type, property: field })
  for (const { pattern, hint = '', ofType = '', named = [] } of searchesOf(types, indexed, field)) {
    const where = `WHERE ${ofType}r.${quote(field)} IN $values`
    const query = `MATCH (a)-[${pattern}]->(b) ${hint} ${where} RETURN [${expressions.join(', ')}]`
    for await (const [row] of origin.read(query, { values, named }) as AsyncGenerator<[Row]>) {
      const { properties, at } = fromLists(row)
      const [type, relationship, a, b] = row.slice(at) as [string, InternalId, InternalId, InternalId]
      const start = { node: a, keys: nodeKeys(row, at + 4, rule) }
      const end = { node: b, keys: nodeKeys(row, at + 4 + width, rule) }
      if (origin.legacy) {
        await completeZones(origin, 'relationship', relationship, properties)
        for (const { node, keys } of [start, end]) await completeIds(origin, rule, node, keys)
      }
      yield { relationship, type, start, end, properties }
    }
  }
}

/** One query, for some of the types. */
interface Search {
  pattern: string
  hint?: string
  ofType?: string
  /** Types that a query text cannot name, or that are too many for it. */
  named?: readonly string[]
}

// Planning 150 types on Neo4j 5.26 takes 0.8 s with 50 per query, 2.8 s with all in one, 17 s with one per query.
const seeksAtOnce = 50
const typesInText = 500

/**
 * Assigns each type to one query. Indexed types are searched by their index, some types at a time; all the rest are
 * scanned in one pass. If the indexes are unknown, the origin's planner decides.
 */
function* searchesOf(types: readonly string[], indexed: ReadonlySet<string> | null, field: string): Generator<Search> {
  const usesIndex = (type: string) => isQuotable(type) && (indexed === null || indexed.has(type))
  const chosen = types.filter(usesIndex)
  const rest = types.filter((type) => !usesIndex(type))
  for (let start = 0; start < chosen.length; start += seeksAtOnce) {
    const some = chosen.slice(start, start + seeksAtOnce).map(quote)
    // Without the hint the planner may prefer to scan all relationships of so many types.
    const hint = indexed ? `USING INDEX r:${some[0]}(${quote(field)})` : ''
    yield { pattern: `r:${some.join('|')}`, hint }
  }
  if (rest.length === 0) return
  if (chosen.length === 0) yield { pattern: 'r' }
  else if (rest.length <= typesInText && rest.every(isQuotable)) yield { pattern: `r:${rest.map(quote).join('|')}` }
  else yield { pattern: 'r', ofType: 'type(r) IN $named AND ', named: rest }
}
