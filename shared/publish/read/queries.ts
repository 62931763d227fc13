import { quote } from '../../cypher/identifiers.ts'
import { offsetsQuery } from '../../cypher/zone-offsets.ts'
import type { Origin } from '../../origin/connect.ts'
import type { RelationshipType } from '../request/relationship-types.ts'
import { asInteger, collectIds, eachNode, type IdList, type InternalId, internalId } from './internal-ids.ts'

/**
 * Queries for anything but the properties of nodes and relationships. They run on Neo4j 3.5 to 2026, hence `id()` and `$`
 * parameters.
 */

/** Passes to `take` each node of a label whose id property is among `values`, and whether it has the label `filter`. */
export function findByIds(
  origin: Origin,
  index: { label: string; idProperty: string },
  values: readonly unknown[],
  filter: string | null,
  take: (node: InternalId, id: unknown, passes: boolean) => void,
): Promise<void> {
  const property = `n.${quote(index.idProperty)}`
  const passes = filter === null ? 'true' : `n:${quote(filter)}`
  const query = `MATCH (n:${quote(index.label)}) WHERE ${property} IN $values RETURN [${internalId('n')}, ${property}, ${passes}]`
  return origin.each(query, { values }, ([node, id, isKept]) => take(node as InternalId, id, isKept === true))
}

/** Whether any node has this label and property. */
export async function hasAny(origin: Origin, { label, idProperty }: { label: string; idProperty: string }) {
  const query = `MATCH (n:${quote(label)}) WHERE n.${quote(idProperty)} IS NOT NULL RETURN 1 LIMIT 1`
  for await (const _ of origin.read(query)) return true
  return false
}

export const arrow = (inside: string, { type, direction }: RelationshipType) =>
  `${direction === 'in' ? '<-' : '-'}[${inside}:${quote(type)}]${direction === 'out' ? '->' : '-'}`

/** The distinct nodes reached by following the types in order, as one pattern. Seed, `toLayer`; contract 4.4. */
export async function followLayers(
  origin: Origin,
  sources: readonly InternalId[],
  layers: readonly RelationshipType[],
  filter: string | null,
): Promise<IdList> {
  const hops = layers.map((layer) => arrow('', layer)).join('()')
  const passes = filter === null ? '' : ` AND n:${quote(filter)}`
  const query = `MATCH (s)${hops}(n) WHERE id(s) IN $sources${passes} WITH DISTINCT n RETURN [${internalId('n')}]`
  const reached = collectIds()
  await origin.each(query, { sources: sources.map(asInteger) }, ([node]) => reached.add(node as InternalId))
  return reached.list()
}

/** Counts the relationships of a type at each of these nodes; leaves out nodes without any. */
export async function countRelationships(
  origin: Origin,
  nodes: readonly InternalId[],
  type: RelationshipType,
): Promise<{ node: InternalId; count: number }[]> {
  const query = `${eachNode} MATCH (n)${arrow('r', type)}() WITH n, count(r) AS count RETURN [${internalId('n')}, count]`
  const rows = (await origin.rows(query, { ids: nodes })) as [InternalId, bigint][]
  return rows.map(([node, count]) => ({ node, count: Number(count) }))
}

/** The values of a label's id property that several nodes share. */
export async function* findDuplicates(origin: Origin, label: string, idProperty: string, values: readonly unknown[]) {
  const property = `n.${quote(idProperty)}`
  const grouped = `WITH ${property} AS id, count(*) AS nodes WHERE nodes > 1 RETURN id`
  const query = `MATCH (n:${quote(label)}) WHERE ${property} IN $values ${grouped}`
  for await (const [id] of origin.read(query, { values })) yield id
}

/** Whether a constraint guarantees that no two nodes of the label share a value of the property. False if unknown. */
export async function hasUniqueness(origin: Origin, label: string, idProperty: string): Promise<boolean> {
  if (origin.legacy) {
    const variable = label.toLowerCase()
    const text = `CONSTRAINT ON ( ${variable}:${label} ) ASSERT ${variable}.${idProperty} IS UNIQUE`
    const rows = await origin.ask('CALL db.constraints() YIELD description RETURN description')
    return (rows ?? []).some(([description]) => description === text)
  }
  const rows = await origin.ask('SHOW CONSTRAINTS YIELD type, entityType, labelsOrTypes, properties')
  return (rows ?? []).some(([type, entity, labels, keys]) => {
    const isUnique = type === 'UNIQUENESS' || type === 'NODE_PROPERTY_UNIQUENESS' || type === 'NODE_KEY'
    const names = [...((labels as string[] | null) ?? []), ...((keys as string[] | null) ?? [])]
    return isUnique && entity === 'NODE' && names.length === 2 && names[0] === label && names[1] === idProperty
  })
}

/** The offset in seconds of a zoned datetime property (of each element of a list), which Bolt 3 omits. */
export async function readOffsets(origin: Origin, owner: 'node' | 'relationship', id: InternalId, key: string) {
  for await (const [offsets] of origin.read(offsetsQuery(owner, key), { id: asInteger(id) })) return offsets as bigint[]
  return []
}
