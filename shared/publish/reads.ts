import { byCodePoint, isQuotable, quote } from '../cypher/identifiers.ts'
import type { Origin, Row } from '../origin/connect.ts'
import type { IdentityRule, NodeKeys } from './identity.ts'
import type { RelationshipType } from './relationship-types.ts'

/** The origin's own number of a node or relationship: below 2^53, and the same throughout one read transaction. */
export type InternalId = number

const asInteger = (id: InternalId) => BigInt(id)

/** Everything that is asked of an origin. Texts run on Neo4j 3.5 to 5, hence `id()` and `$` parameters. */

/** Nodes of a label whose id property is among `values`: their internal ids, the ids, and whether they bear `filter`. */
export async function* findByIds(
  origin: Origin,
  index: { label: string; idProperty: string },
  values: readonly unknown[],
  filter: string | null,
): AsyncGenerator<{ node: InternalId; id: unknown; passes: boolean }> {
  const property = `n.${quote(index.idProperty)}`
  const passes = filter === null ? 'true' : `n:${quote(filter)}`
  const query = `MATCH (n:${quote(index.label)}) WHERE ${property} IN $values RETURN id(n), ${property}, ${passes}`
  for await (const [node, id, isKept] of origin.read(query, { values })) {
    yield { node: Number(node), id, passes: isKept === true }
  }
}

/** Is there any node with this label and property? */
export async function hasAny(origin: Origin, { label, idProperty }: { label: string; idProperty: string }) {
  const query = `MATCH (n:${quote(label)}) WHERE n.${quote(idProperty)} IS NOT NULL RETURN 1 LIMIT 1`
  for await (const _ of origin.read(query)) return true
  return false
}

const arrow = (inside: string, { type, direction }: RelationshipType) =>
  `${direction === 'in' ? '<-' : '-'}[${inside}:${quote(type)}]${direction === 'out' ? '->' : '-'}`

/** The distinct nodes at the end of the types, followed in order as one pattern. Seed, `toLayer`; contract 4.4. */
export async function* followLayers(
  origin: Origin,
  sources: readonly InternalId[],
  layers: readonly RelationshipType[],
  filter: string | null,
): AsyncGenerator<InternalId> {
  const hops = layers.map((layer) => arrow('', layer)).join('()')
  const passes = filter === null ? '' : ` AND n:${quote(filter)}`
  const query = `MATCH (s)${hops}(n) WHERE id(s) IN $sources${passes} RETURN DISTINCT id(n)`
  for await (const [node] of origin.read(query, { sources: sources.map(asInteger) })) yield Number(node)
}

/** Each under a name of its own: the id property may be `index`, or the one that search uses. */
function keyColumns(variable: string, { columns }: IdentityRule): string {
  const ids = columns.map((column, at) => `${variable}.${quote(column)} AS ${variable}_${at}`)
  return `labels(${variable}), ${variable}.\`index\` AS ${variable}_index, ${ids.join(', ')}`
}

const nodeKeys = (row: Row, at: number, { columns }: IdentityRule): NodeKeys => ({
  labels: row[at] as string[],
  index: row[at + 1],
  ids: row.slice(at + 2, at + 2 + columns.length),
})

const eachNode = 'UNWIND $nodes AS i MATCH (n) WHERE id(n) = i'

/** What identifies each of these nodes, and its value of one more property; a node that is gone by now is left out. */
export async function* readNodeKeys(
  origin: Origin,
  rule: IdentityRule,
  nodes: readonly InternalId[],
  searchIdField: string | null,
) {
  const searchId = searchIdField === null ? 'null' : `n.${quote(searchIdField)} AS searched`
  const query = `${eachNode} RETURN i, ${searchId}, ${keyColumns('n', rule)}`
  for await (const row of origin.read(query, { nodes: nodes.map(asInteger) })) {
    yield { node: Number(row[0]), searchId: row[1], keys: nodeKeys(row, 2, rule) }
  }
}

/** Keys and values rather than `properties(n)`: a map would lose a key named `__proto__`, and costs the client more. */
const properties = (variable: string) => `keys(${variable}), [k IN keys(${variable}) | ${variable}[k]]`

export interface Properties {
  keys: readonly string[]
  values: unknown[]
}

/** Everything of each of these nodes. */
export async function* readNodes(origin: Origin, rule: IdentityRule, nodes: readonly InternalId[]) {
  const query = `${eachNode} RETURN i, ${keyColumns('n', rule)}, ${properties('n')}`
  const at = 3 + rule.columns.length
  for await (const row of origin.read(query, { nodes: nodes.map(asInteger) })) {
    const found: Properties = { keys: row[at] as string[], values: row[at + 1] as unknown[] }
    yield { node: Number(row[0]), keys: nodeKeys(row, 1, rule), properties: found }
  }
}

export interface RelationshipRow extends Properties {
  /** The targeted node that it was read from. */
  node: InternalId
  relationship: InternalId
  isOutgoing: boolean
  far: InternalId
  farKeys: NodeKeys
}

/** Every relationship of a type at each of these nodes; one between two of them is read from both, a self-loop once. */
export async function* readRelationships(
  origin: Origin,
  rule: IdentityRule,
  nodes: readonly InternalId[],
  type: RelationshipType,
): AsyncGenerator<RelationshipRow> {
  const columns = `i, id(r), id(startNode(r)) = i, id(m), ${keyColumns('m', rule)}, ${properties('r')}`
  const query = `${eachNode} MATCH (n)${arrow('r', type)}(m) RETURN ${columns}`
  const at = 6 + rule.columns.length
  for await (const row of origin.read(query, { nodes: nodes.map(asInteger) })) {
    yield {
      node: Number(row[0]),
      relationship: Number(row[1]),
      isOutgoing: row[2] === true,
      far: Number(row[3]),
      farKeys: nodeKeys(row, 4, rule),
      keys: row[at] as string[],
      values: row[at + 1] as unknown[],
    }
  }
}

export interface FoundRelationship extends Properties {
  relationship: InternalId
  type: string
  start: { node: InternalId; keys: NodeKeys }
  end: { node: InternalId; keys: NodeKeys }
}

/**
 * Relationships of any type whose property `field` is among `values`, wherever they are: asked type by type, so that an
 * index on the property of a type is used. Seed, `relationshipIds`.
 */
export async function* findRelationships(
  origin: Origin,
  rule: IdentityRule,
  field: string,
  values: readonly unknown[],
): AsyncGenerator<FoundRelationship> {
  const types: string[] = []
  const known = 'CALL db.relationshipTypes() YIELD relationshipType RETURN relationshipType'
  for await (const [type] of origin.read(known)) types.push(type as string)
  const columns = `id(r), id(a), id(b), ${keyColumns('a', rule)}, ${keyColumns('b', rule)}, ${properties('r')}`
  const width = 2 + rule.columns.length
  for (const type of types.sort(byCodePoint)) {
    // A type that no text can name is asked for as a value.
    const [pattern, ofType] = isQuotable(type) ? [`r:${quote(type)}`, ''] : ['r', 'type(r) = $type AND ']
    const query = `MATCH (a)-[${pattern}]->(b) WHERE ${ofType}r.${quote(field)} IN $values RETURN ${columns}`
    for await (const row of origin.read(query, { values, type })) {
      yield {
        relationship: Number(row[0]),
        type,
        start: { node: Number(row[1]), keys: nodeKeys(row, 3, rule) },
        end: { node: Number(row[2]), keys: nodeKeys(row, 3 + width, rule) },
        keys: row[3 + 2 * width] as string[],
        values: row[4 + 2 * width] as unknown[],
      }
    }
  }
}

/** Values of a label's id property that more than one node has. */
export async function* findDuplicates(origin: Origin, label: string, idProperty: string, values: readonly unknown[]) {
  const property = `n.${quote(idProperty)}`
  const grouped = `WITH ${property} AS id, count(*) AS nodes WHERE nodes > 1 RETURN id`
  const query = `MATCH (n:${quote(label)}) WHERE ${property} IN $values ${grouped}`
  for await (const [id] of origin.read(query, { values })) yield id
}

/** Does a constraint prove that no two nodes of the label share a value of the property? False where it cannot be told. */
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

/** The offset in seconds of a zoned datetime property (of each element of a list), which Bolt 3 leaves out. */
export async function readOffsets(origin: Origin, owner: 'node' | 'relationship', id: InternalId, key: string) {
  const [pattern, variable] = owner === 'node' ? ['(x)', 'x'] : ['()-[x]->()', 'x']
  const property = `${variable}.${quote(key)}`
  // Adding to an empty list makes one of a single value and leaves a list as it is.
  const query = `MATCH ${pattern} WHERE id(x) = $id RETURN [at IN [] + ${property} | at.offsetSeconds]`
  for await (const [offsets] of origin.read(query, { id: asInteger(id) })) return offsets as bigint[]
  return []
}
