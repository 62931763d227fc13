import { byCodePoint, isQuotable, quote } from '../cypher/identifiers.ts'
import type { Origin, Row } from '../origin/connect.ts'
import type { Properties } from './columns.ts'
import type { IdentityRule, NodeKeys } from './identity.ts'
import { eachNode, type InternalId, internalId } from './internal-ids.ts'
import { fromLists, listsOf, type Reading, readProperties } from './read-properties.ts'
import { arrow, countRelationships } from './reads.ts'
import type { RelationshipType } from './relationship-types.ts'
import { completeZones } from './zones.ts'

/** Each under a name of its own: the id property may be `index`. */
function keyColumns(variable: string, { columns }: IdentityRule, labels = `labels(${variable})`): string[] {
  return [labels, ...['index', ...columns].map((key) => `${variable}.${quote(key)}`)]
}

const nodeKeys = (
  row: Row,
  at: number,
  { columns }: IdentityRule,
  labels = row[at] as readonly string[],
): NodeKeys => ({
  labels,
  index: row[at + 1],
  ids: row.slice(at + 2, at + 2 + columns.length),
})

const completeIds = (origin: Origin, { columns }: IdentityRule, node: InternalId, { ids }: NodeKeys) =>
  completeZones(origin, 'node', node, { keys: columns, values: ids as unknown[] })

export interface RelationshipRow {
  /** The targeted node that it was read from. */
  node: InternalId
  relationship: InternalId
  isOutgoing: boolean
  far: InternalId
  farKeys: NodeKeys
  properties: Properties
}

// Rows that are held at once: some 20 MB.
const rowsAtMost = 20_000

/**
 * Every relationship of a type at each of these nodes, in groups of bounded size: those of some of the nodes, or some of
 * those of one with very many. Parallel ones are in one group. One between two of the nodes is read from both, a
 * self-loop once.
 */
export async function* readRelationships(
  work: Reading,
  nodes: readonly InternalId[],
  type: RelationshipType,
): AsyncGenerator<RelationshipRow[]> {
  const rows = await readGroup(work, nodes, type, `WITH i, n, r, m LIMIT ${rowsAtMost + 1}`)
  if (rows.length <= rowsAtMost) return yield rows
  let group: InternalId[] = []
  let size = 0
  for await (const { node, count } of countRelationships(work.origin, nodes, type)) {
    if (size > 0 && size + count > rowsAtMost) {
      yield await readGroup(work, group, type)
      group = []
      size = 0
    }
    if (count > rowsAtMost) yield* readInParts(work, node, type, count)
    else {
      group.push(node)
      size += count
    }
  }
  if (size > 0) yield await readGroup(work, group, type)
}

/** Those to one far end are in one part, so that parallel ones stay together. */
async function* readInParts(work: Reading, node: InternalId, type: RelationshipType, count: number) {
  const parts = Math.ceil(count / rowsAtMost)
  for (let part = 0; part < parts; part++) {
    yield await readGroup(work, [node], type, `WITH i, n, r, m WHERE id(m) % ${parts} = ${part}`)
  }
}

async function readGroup(
  { origin, plan, known, usualLabels }: Reading,
  nodes: readonly InternalId[],
  type: RelationshipType,
  only = '',
): Promise<RelationshipRow[]> {
  const { identity: rule, relationshipIdField } = plan
  const isOutgoing = type.direction === 'both' ? 'startNode(r) = n' : String(type.direction === 'out')
  const labels = usualLabels.farEnds.ask('m')
  const found = await readProperties(origin, known, {
    match: `${eachNode} MATCH (n)${arrow('r', type)}(m) ${only}`,
    variable: 'r',
    head: [internalId('r'), internalId('n'), isOutgoing, internalId('m'), ...keyColumns('m', rule, labels.expression)],
    parameters: { nodes, ...labels.parameters },
    kind: type.type,
    asValues: relationshipIdField === null ? [] : [relationshipIdField],
  })
  const rows: RelationshipRow[] = []
  for (const { row, at, properties } of found ?? []) {
    const relationship = row[at] as InternalId
    const node = row[at + 1] as InternalId
    const far = row[at + 3] as InternalId
    const farKeys = nodeKeys(row, at + 4, rule, labels.read(row[at + 4]))
    if (origin.legacy) {
      await completeZones(origin, 'relationship', relationship, properties)
      await completeIds(origin, rule, far, farKeys)
    }
    rows.push({ node, relationship, isOutgoing: row[at + 2] === true, far, farKeys, properties })
  }
  return rows
}

export interface FoundRelationship {
  relationship: InternalId
  type: string
  start: { node: InternalId; keys: NodeKeys }
  end: { node: InternalId; keys: NodeKeys }
  properties: Properties
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
  const ids = ['r', 'a', 'b'].map(internalId)
  const expressions = [...listsOf('r'), ...ids, ...keyColumns('a', rule), ...keyColumns('b', rule)]
  const columns = `[${expressions.join(', ')}]`
  const width = 2 + rule.columns.length
  for (const type of types.sort(byCodePoint)) {
    // A type that no text can name is asked for as a value.
    const [pattern, ofType] = isQuotable(type) ? [`r:${quote(type)}`, ''] : ['r', 'type(r) = $type AND ']
    const query = `MATCH (a)-[${pattern}]->(b) WHERE ${ofType}r.${quote(field)} IN $values RETURN ${columns}`
    for await (const [row] of origin.read(query, { values, type }) as AsyncGenerator<[Row]>) {
      const { properties, at } = fromLists(row)
      const [relationship, a, b] = row.slice(at) as [InternalId, InternalId, InternalId]
      const start = { node: a, keys: nodeKeys(row, at + 3, rule) }
      const end = { node: b, keys: nodeKeys(row, at + 3 + width, rule) }
      if (origin.legacy) {
        await completeZones(origin, 'relationship', relationship, properties)
        for (const { node, keys } of [start, end]) await completeIds(origin, rule, node, keys)
      }
      yield { relationship, type, start, end, properties }
    }
  }
}
