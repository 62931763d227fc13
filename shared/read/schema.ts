import { byCodePoint } from '../../packet/cypher/identifiers.ts'
import { descriptionsOfUniqueness } from '../../packet/cypher/schema.ts'
import type { Origin } from '../origin/connect.ts'
import { malformed } from '../origin/origin-cursor.ts'

/** The label or relationship type and the property of an index or constraint, if it has one of each. */
function targetOf(names: unknown, keys: unknown): { of: string; property: string } | null {
  const all = [names, keys].flatMap((list) => (list as string[] | null) ?? [])
  const [of, property] = all
  return all.length === 2 && of !== undefined && property !== undefined ? { of, property } : null
}

/** Whether a constraint guarantees that no two nodes of the label share a value of the property. False if unknown. */
export async function hasUniqueness(origin: Origin, label: string, idProperty: string): Promise<boolean> {
  const rows = origin.legacy ? null : await origin.ask(showConstraints)
  // Neo4j 4.2 has `SHOW CONSTRAINTS` without `YIELD`.
  if (rows === null) {
    const texts: unknown[] = descriptionsOfUniqueness(label, idProperty)
    const described = await origin.ask('CALL db.constraints() YIELD description RETURN description')
    return (described ?? []).some(([description]) => texts.includes(description))
  }
  return rows.some(([type, entity, labels, keys]) => {
    const isUnique = entity === 'NODE' && guaranteeing.includes(type as string)
    const target = targetOf(labels, keys)
    return isUnique && target?.of === label && target.property === idProperty
  })
}

/**
 * The single properties whose values no two nodes of a label share, by label, as constraints guarantee them; null if the
 * origin does not say. Properties that are unique only together do not count.
 */
export async function readUniqueness(origin: Origin): Promise<Map<string, Set<string>> | null> {
  const rows = (origin.legacy ? null : await origin.ask(showConstraints)) ?? (await askEarlierUniqueness(origin))
  if (rows === null) return null
  const found = new Map<string, Set<string>>()
  for (const [type, entity, labels, keys] of rows) {
    const target = targetOf(labels, keys)
    if (target === null || entity !== 'NODE' || !guaranteeing.includes(type as string)) continue
    found.set(target.of, (found.get(target.of) ?? new Set()).add(target.property))
  }
  return found
}

/**
 * All properties in uniqueness and key constraints, also those of several properties, by label or relationship type; null
 * if the origin does not say.
 */
export async function readConstrained(origin: Origin): Promise<Map<string, Set<string>> | null> {
  const rows = (origin.legacy ? null : await origin.ask(showConstraints)) ?? (await askEarlierUniqueness(origin))
  if (rows === null) return null
  const found = new Map<string, Set<string>>()
  for (const [type, , names, keys] of rows) {
    if (!/UNIQUE|KEY/.test(String(type))) continue
    for (const name of [names ?? []].flat() as string[]) {
      const known = found.get(name) ?? new Set()
      found.set(name, known)
      for (const key of (keys ?? []) as string[]) known.add(key)
    }
  }
  return found
}

/** Neo4j up to 4.2 describes constraints in texts without quotes; the indexes behind them have names and properties. */
async function askEarlierUniqueness(origin: Origin): Promise<unknown[][] | null> {
  for (const [unique, entity, labels] of [
    ["type = 'node_unique_property'", "'NODE'", 'tokenNames'],
    ["type = 'node_unique_property'", "'NODE'", '[label]'],
    ["uniqueness = 'UNIQUE'", 'entityType', 'labelsOrTypes'],
  ] as const) {
    const columns = { tokenNames: 'type, tokenNames', '[label]': 'type, label' }[labels as string]
    const query = `CALL db.indexes() YIELD ${columns ?? 'uniqueness, entityType, labelsOrTypes'}, properties WITH * WHERE ${unique}
      RETURN 'UNIQUENESS', ${entity}, ${labels}, properties`
    const rows = await origin.ask(query)
    if (rows) return rows
  }
  return null
}

const showConstraints = 'SHOW CONSTRAINTS YIELD type, entityType, labelsOrTypes, properties'
const guaranteeing = ['UNIQUENESS', 'NODE_PROPERTY_UNIQUENESS', 'NODE_KEY']

/**
 * Reads the indexes of nodes or relationships that can compare one property with values of any type; null if the origin
 * does not say. `of` is the label or relationship type. Neo4j 3.5 indexes nodes only.
 */
export async function readIndexes(origin: Origin, entity: 'NODE' | 'RELATIONSHIP') {
  if (origin.legacy && entity === 'RELATIONSHIP') return []
  const rows = (origin.legacy ? null : await origin.ask(showIndexes)) ?? (await askEarlierIndexes(origin))
  const usable = rows?.filter(
    ([kind, state, owner]) => comparing.includes(kind as string) && state === 'ONLINE' && owner === entity,
  )
  return usable?.flatMap(([, , , names, keys]) => targetOf(names, keys) ?? []) ?? null
}

const showIndexes = 'SHOW INDEXES YIELD type, state, entityType, labelsOrTypes, properties'

/**
 * Neo4j up to 4.2 has no `SHOW INDEXES YIELD`. The column with the labels is `tokenNames` in Neo4j 3.5, `label` in 3.4,
 * and `labelsOrTypes` from 4.0 to 4.2.
 */
async function askEarlierIndexes(origin: Origin): Promise<unknown[][] | null> {
  for (const [columns, entity, labels] of [
    ['tokenNames', "'NODE'", 'tokenNames'],
    ['label', "'NODE'", '[label]'],
    ['entityType, labelsOrTypes', 'entityType', 'labelsOrTypes'],
  ]) {
    const query = `CALL db.indexes() YIELD type, state, ${columns}, properties RETURN type, state, ${entity}, ${labels}, properties`
    const rows = await origin.ask(query)
    if (rows) return rows
  }
  return null
}

const comparing = ['RANGE', 'BTREE', 'node_label_property', 'node_unique_property']

export type RelationshipSchema = ReturnType<typeof createRelationshipSchema>

/** What an origin's schema says about relationships; queried on first use. */
export function createRelationshipSchema(origin: Origin) {
  let types: Promise<string[]> | null = null
  let indexes: ReturnType<typeof readIndexes> | null = null
  return {
    /** All relationship types, sorted. A type created later is included after `renewed`. */
    types(): Promise<readonly string[]> {
      types ??= readTypes(origin)
      return types
    },
    /** The types with an index that finds relationships by this property; null if the origin does not say. */
    async indexedBy(property: string): Promise<ReadonlySet<string> | null> {
      // Cached across transactions: a new or dropped index changes how long a query takes, not its rows.
      indexes ??= readIndexes(origin, 'RELATIONSHIP')
      const found = await indexes
      return found && new Set(found.flatMap((index) => (index.property === property ? [index.of] : [])))
    },
    /** Call this when the origin's read transaction was replaced. */
    renewed(): void {
      types = null
    },
  }
}

/**
 * Relationship types of an origin. Beyond this limit the publish fails with `502 originBroke`: an origin that sends
 * more may never end.
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
