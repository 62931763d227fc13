import { isQuotable, quote } from '../../packet/cypher/identifiers.ts'
import * as errors from '../errors/catalogue.ts'
import { originCursor } from '../origin/origin-cursor.ts'
import { type Properties, readProperties, sourceOf } from '../origin/properties.ts'
import { absentShape } from '../origin/shapes.ts'
import { withoutDeletedRelationships } from './deleted.ts'
import { bindLabels } from './identifying-values.ts'
import { eachRelationship, type InternalId, readInternalId } from './internal-ids.ts'
import { endColumns, maskNode, type NodeRow, readEnd } from './nodes.ts'
import { elementsOf, type Found, type Reading, readRows, rowsAtOnce, withoutThese } from './reading.ts'
import type { RelationshipSchema } from './schema.ts'
import { completeZones } from './zone-offsets.ts'

/** A relationship that was searched by its own id. `properties` has only this id. */
export interface FoundRelationship {
  relationship: InternalId
  type: string
  start: NodeRow
  end: NodeRow
  properties: Properties
}

/**
 * Relationships that `relationshipIds` match. Beyond this limit the answer is `413 tooManyFound`. A request has 500
 * ids, so a property with so many matches identifies nothing.
 */
export const mostFound = 100_000
/** Bytes of the matches of one search for `relationshipIds`. Beyond this limit the answer is `413 tooManyFound`. */
const mostBytesFound = 128 * 1024 * 1024

/**
 * Finds relationships of any type whose property `field` is among `values`. Each is readable until the next one.
 * Seed, `relationshipIds`.
 * @param onMissingIndex receives each type that could have an index on the property but has none: all its
 * relationships are scanned.
 */
export async function* findRelationships(
  reading: Reading & { schema: RelationshipSchema },
  field: string,
  values: readonly unknown[],
  onMissingIndex: (index: { type: string; property: string }) => void,
): AsyncGenerator<FoundRelationship> {
  const { origin, schema, plan, shapes } = reading
  const ends = `${endColumns('a')}, ${endColumns('b')}`
  const columns = `id(r), type(r), r{.${quote(field)}}, ${ends}, ${isWhole('a')}`
  const indexed = await schema.indexedBy(field)
  const types = await schema.types()
  if (indexed && !origin.legacy)
    for (const type of types) if (!indexed.has(type)) onMissingIndex({ type, property: field })
  const cursor = originCursor()
  for (const { pattern, hint = '', ofType = '', named = [] } of searchesOf(types, indexed, field)) {
    const where = `WHERE ${ofType}r.${quote(field)} IN $values`
    const bound = `WITH r, a, b LIMIT ${mostFound + 1} ${bindLabels(['a', 'b'], ['r', 'a', 'b'])}`
    const query = `MATCH (a)-[${pattern}]->(b) ${hint} ${where} ${bound} RETURN ${columns}`
    const { rows } = await origin.rows(query, { values, named, idProperties: plan.identity.byLabel }, mostBytesFound)
    if (rows === null) throw errors.tooManyBytesFound(mostBytesFound)
    // Rows of deleted relationships count too, because they may have displaced others.
    if (rows.length > mostFound) throw errors.tooManyFound(mostFound)
    const source = sourceOf(rows)
    const absent: Absent[] = []
    for (let index = 0, { length } = rows; index < length; index++) {
      cursor.openRecord(rows.bytes, rows.start(index), rows.end(index))
      const relationship = readInternalId(cursor)
      // The relationship was deleted before its row was read.
      if (cursor.passNull()) {
        absent.push({ relationship, nodes: [] })
        for (let left = columnsAfterType; left > 0; left--) cursor.skip()
        cursor.endRecord()
        continue
      }
      const found: FoundRelationship = {
        relationship,
        type: cursor.text(),
        properties: readProperties(cursor, shapes.relationships, source),
        start: readEnd(reading, cursor, source),
        end: readEnd(reading, cursor, source),
      }
      const isPresent = cursor.boolean() && found.properties.shape !== absentShape
      cursor.endRecord()
      if (!isPresent) absent.push({ relationship, nodes: [] })
      const [whole] = isPresent ? await withoutDeletedRelationships(reading, [found], asRead, []) : []
      if (whole === undefined) continue
      let exists = await completeZones(origin, 'relationship', found.relationship, found, source, shapes.relationships)
      for (const end of [found.start, found.end])
        exists &&= await completeZones(origin, 'node', end.node, end, source, shapes.farEnds)
      for (const end of [found.start, found.end]) maskNode(reading, end)
      if (reading.masker) found.properties = reading.masker.relationship(found.type, found.properties)
      if (exists) yield found
      source.positions.length = 0
    }
    rows.release()
    await withoutDeletedRelationships(reading, [], asRead, absent)
  }
}

interface Absent {
  relationship: InternalId
  nodes: InternalId[]
}

/** The own id, the columns of both ends, and whether the relationship is whole. */
const columnsAfterType = 8

const asRead = ({ relationship, start, end }: FoundRelationship) => ({
  relationship,
  nodes: [start.node, end.node],
  ends: [start, end],
})

const kind = 'relationships by internal id'

/** Must be the last column: if the relationship was deleted while its row was read, the start is another node. */
const isWhole = (start: string) => `coalesce(startNode(r) = ${start}, false)`

/** How many relationships may be read by their internal ids at once, given their known size. */
export const foundAtOnce = (reading: Reading): number => Math.min(reading.sizes.group, rowsAtOnce(reading, kind))

/**
 * Reads all properties of these relationships, given their types; leaves out relationships that no longer exist.
 * @returns null if they turn out to be more than may be read at once.
 */
export async function readWhole(
  reading: Reading,
  ids: readonly InternalId[],
  typeOf: (relationship: InternalId) => string,
): Promise<Found<{ relationship: InternalId; properties: Properties }> | null> {
  const { origin, shapes, masker } = reading
  const query = `${eachRelationship} RETURN id(r), properties(r), ${isWhole('s')}`
  const size = { count: ids.length, isOne: ids.length === 1 }
  const rows = await readRows(reading, { query, parameters: { ids }, kind, ...size })
  if (rows === null) return null
  const absent: Absent[] = []
  const found = elementsOf(reading, rows, kind, (row, source) => {
    const one = { relationship: readInternalId(row), properties: readProperties(row, shapes.relationships, source) }
    if (row.boolean() && one.properties.shape !== absentShape) return one
    absent.push({ relationship: one.relationship, nodes: [] })
    return null
  })
  if (found === null) return null
  await withoutDeletedRelationships(reading, [], asRead, absent)
  const { elements, source } = found
  const gone = new Set<(typeof elements)[number]>()
  for (const one of elements)
    if (!(await completeZones(origin, 'relationship', one.relationship, one, source, shapes.relationships)))
      gone.add(one)
    else if (masker) one.properties = masker.relationship(typeOf(one.relationship), one.properties)
  return { elements: withoutThese(elements, gone), release: () => rows.release() }
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
