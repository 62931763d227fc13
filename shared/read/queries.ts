import { quote } from '../../packet/cypher/identifiers.ts'
import { requestText } from '../../packet/identity.ts'
import type { RelationshipType } from '../../packet/kinds/cleanup.ts'
import { isList, kind } from '../../packet/packstream/kinds.ts'
import { passValue } from '../../packet/packstream/pass-value.ts'
import type { Rendered } from '../../packet/values/values.ts'
import { zonedQuery } from '../../packet/values/zone-offsets.ts'
import type { Origin } from '../origin/connect.ts'
import { malformed, originCursor } from '../origin/origin-cursor.ts'
import { readValue } from '../origin/properties.ts'
import { deletedOf } from './deleted.ts'
import { asInteger, collectIds, eachNode, type IdList, type InternalId, readInternalId } from './internal-ids.ts'
import type { Reading } from './reading.ts'

/**
 * Queries for everything except the properties of nodes and relationships. They run on Neo4j 3.5 to 2026, so they use
 * `id()` and `$` parameters.
 */

/**
 * Passes to `take` each node of a label whose id property is among `values`, with the text by which a request names
 * that id (null if none can) and whether the node has the label `filter`. A node that is deleted meanwhile has no id.
 */
export async function findByIds(
  reading: Pick<Reading, 'origin' | 'plan'>,
  values: readonly unknown[],
  filter: string | null,
  take: (node: InternalId, id: string | null, passes: boolean) => void,
): Promise<void> {
  const { origin } = reading
  const { label, idProperty } = reading.plan.index
  const property = `n.${quote(idProperty)}`
  const passes = filter === null ? 'true' : `n:${quote(filter)}`
  const query = `MATCH (n:${quote(label)}) WHERE ${property} IN $values RETURN id(n), ${property}, ${passes}`
  const nameless = new Map<InternalId, boolean>()
  await origin.each(query, { values }, (row) => {
    const node = readInternalId(row)
    if (row.passNull()) return void nameless.set(node, row.boolean())
    // The id may have changed since the search, to a value that no request can name.
    const value = readValue(row)
    take(node, value && requestText(value), row.boolean())
  })
  const deleted = await deletedOf(reading, [...nameless.keys()], idProperty)
  for (const [node, isPassing] of nameless) if (!deleted.has(node)) take(node, null, isPassing)
}

/** Whether any node has this label and property. */
export async function hasAny(origin: Origin, { label, idProperty }: { label: string; idProperty: string }) {
  const query = `MATCH (n:${quote(label)}) WHERE n.${quote(idProperty)} IS NOT NULL RETURN 1 LIMIT 1`
  let isAny = false
  await origin.each(query, {}, (row) => {
    isAny = row.integer() === 1
  })
  return isAny
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
  const query = `MATCH (s)${hops}(n) WHERE id(s) IN $sources${passes} WITH DISTINCT n RETURN id(n)`
  const reached = collectIds()
  await origin.each(query, { sources: sources.map(asInteger) }, (row) => reached.add(readInternalId(row)))
  return reached.list()
}

/** Counts the relationships of a type at each of these nodes; leaves out nodes without any. */
export async function countRelationships(
  origin: Origin,
  nodes: readonly InternalId[],
  type: RelationshipType,
): Promise<{ node: InternalId; count: number }[]> {
  const query = `${eachNode} MATCH (n)${arrow('r', type)}() WITH n, count(r) AS count RETURN id(n), count`
  const counts: { node: InternalId; count: number }[] = []
  await origin.each(query, { ids: nodes }, (row) => {
    if (counts.length === nodes.length) throw malformed('more nodes are counted than were asked for')
    counts.push({ node: readInternalId(row), count: row.integer() })
  })
  return counts
}

// An id may move from one node to another during the search, which then finds it at both. The query compares two of its
// nodes once more; if an id has moved, the search is repeated.
const searchesForDuplicates = 3

/** The values of a label's id property that several nodes share; null for a value that cannot be published. */
export const findDuplicates = (origin: Origin, label: string, idProperty: string, values: readonly unknown[]) =>
  duplicatesOf(origin, label, idProperty, values, (n, id) => `MATCH ${n} WHERE ${id} IN $values`)

/** The same for equal values of which an index finds each only when it is asked for it, such as 0.0 and -0.0. */
export const findDuplicatesApart = (origin: Origin, label: string, idProperty: string, values: readonly unknown[]) =>
  duplicatesOf(origin, label, idProperty, values, (n, id) => `UNWIND $values AS value MATCH ${n} WHERE ${id} = value`)

async function duplicatesOf(
  origin: Origin,
  label: string,
  idProperty: string,
  values: readonly unknown[],
  match: (node: string, id: string) => string,
): Promise<(Rendered | null)[]> {
  const [of, id] = [quote(label), quote(idProperty)]
  // The nodes are compared after they were found by their internal ids: an index takes 0.0 and -0.0 for different.
  const query = `${match(`(n:${of})`, `n.${id}`)}
    WITH n.${id} AS id, min(id(n)) AS one, max(id(n)) AS other WHERE one <> other
    OPTIONAL MATCH (a) WHERE id(a) = one
    OPTIONAL MATCH (b) WHERE id(b) = other
    RETURN id, coalesce(a:${of} AND b:${of} AND a.${id} = b.${id}, false)`
  let shared: (Rendered | null)[] = []
  for (let search = 0, hasMoved = true; hasMoved && search < searchesForDuplicates; search++) {
    hasMoved = false
    shared = []
    let rows = 0
    await origin.each(query, { values }, (row) => {
      // 0, 0.0 and -0.0 are equal.
      if (rows++ === 3 * values.length) throw malformed('more values are shared than were asked for')
      const value = readValue(row)
      if (row.boolean()) shared.push(value)
      else hasMoved = true
    })
  }
  return shared
}

/** A property as it is now, and the offsets of its datetimes in seconds: none if they do not belong to it. */
interface ZonedProperty {
  isAbsent: boolean
  value: Buffer
  offsets: readonly number[]
}

/**
 * A property with zoned datetimes and their offsets, which early versions of Bolt omit, from one look: offsets of a
 * later value would make another instant of an earlier one. null if the element no longer exists.
 */
export async function readZoned(
  origin: Origin,
  owner: 'node' | 'relationship',
  id: InternalId,
  key: string,
): Promise<ZonedProperty | null> {
  let zoned: ZonedProperty | null = null
  await origin.each(zonedQuery(owner, key), { id: asInteger(id) }, (row) => {
    const { bytes, at: start } = row
    const of = passValue(row)
    const values = isList(of) ? originCursor().open(bytes, start, row.at).list() : 1
    const value = Buffer.from(bytes.subarray(start, row.at))
    const found = row.passNull() ? 0 : row.list()
    const isKept = zoned === null && found === values
    const offsets: number[] = []
    for (let left = found; left > 0; left--) {
      if (isKept) offsets.push(row.integer())
      else row.skip()
    }
    zoned ??= { isAbsent: of === kind.absent, value, offsets }
  })
  return zoned
}
