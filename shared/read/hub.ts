import { quote } from '../../packet/cypher/identifiers.ts'
import type { RelationshipType } from '../../packet/kinds/cleanup.ts'
import type { Cursor } from '../../packet/packstream/cursor.ts'
import { kind } from '../../packet/packstream/kinds.ts'
import { passValue } from '../../packet/packstream/pass-value.ts'
import { collectIdsByKey, type IdsByKey } from './ids-by-key.ts'
import { asInteger, eachRelationship, type InternalId, readInternalId, toInternalId } from './internal-ids.ts'
import { arrow } from './queries.ts'
import type { Reading } from './reading.ts'
import { type RelationshipGroup, readGroup, readRelationshipRows, relationshipsAtOnce } from './relationship-rows.ts'

/** The relationships of one type at one node. */
interface Hub {
  reading: Reading
  node: InternalId
  type: RelationshipType
}

/** With more parts, listing is faster, since each part searches all relationships. */
const mostParts = 8

/**
 * Reads the relationships of a type at one node that has more of them than may be held at once, in parts by their far
 * ends. Parallel relationships are in one group or in consecutive open groups.
 * @param count how many there are; if absent, they are listed rather than read in parts.
 */
export async function* readHub(
  reading: Reading,
  node: InternalId,
  type: RelationshipType,
  count = Number.POSITIVE_INFINITY,
): AsyncGenerator<RelationshipGroup> {
  const hub = { reading, node, type }
  const parts = Math.ceil(count / relationshipsAtOnce(reading, type))
  if (parts > mostParts) return yield* readListed(hub, ofHub(hub))
  for (let part = 0; part < parts; part++) {
    const match = `${ofHub(hub)} AND id(m) % ${parts} = ${part}`
    const found = await readGroup(reading, type, match, { node: asInteger(node) })
    if (found) yield { found, isOpen: false }
    else yield* readListed(hub, match)
  }
}

const ofHub = ({ type }: Hub) => `MATCH (n)${arrow('r', type)}(m) WHERE id(n) = $node`

/** Lists the ids of relationships first, 16 bytes each, then reads the relationships by id. */
async function* readListed(hub: Hub, match: string): AsyncGenerator<RelationshipGroup> {
  const { relationshipIdField } = hub.reading.plan
  yield* readInOrder(hub, await listByFarEnd(hub, match), async function* (ids) {
    if (relationshipIdField === null) yield* readParallel(hub, ids)
    else yield* readInOrder(hub, await listByOwnId(hub, ids, relationshipIdField), (same) => readParallel(hub, same))
  })
}

async function listByFarEnd({ reading: { origin }, node }: Hub, match: string): Promise<IdsByKey> {
  const query = `${match} RETURN id(r), id(m)`
  const byFarEnd = collectIdsByKey()
  // Beyond 2^53 several far ends may share one number: they are then treated as one.
  await origin.each(query, { node: asInteger(node) }, (row) => byFarEnd.add(readInternalId(row), row.integer()))
  return byFarEnd.list()
}

/** Reads as many relationships at once as fit, all with one key together. `readKey` reads a key that does not fit. */
async function* readInOrder(
  hub: Hub,
  { ids, endOfKey }: IdsByKey,
  readKey: (ids: BigInt64Array) => AsyncGenerator<RelationshipGroup>,
): AsyncGenerator<RelationshipGroup> {
  for (let at = 0; at < ids.length; ) {
    const atOnce = relationshipsAtOnce(hub.reading, hub.type)
    const first = endOfKey(at)
    let end = first
    while (end < ids.length && endOfKey(end) - at <= atOnce) end = endOfKey(end)
    const found = end - at > atOnce ? null : await readByIds(hub, ids.subarray(at, end))
    if (found) yield { found, isOpen: false }
    else if (end === first) yield* readKey(ids.subarray(at, end))
    else continue // too large: row size is now known; retry with a smaller batch
    at = end
  }
}

/** Reads relationships that may be parallel, in open groups. */
async function* readParallel(hub: Hub, ids: BigInt64Array): AsyncGenerator<RelationshipGroup> {
  for (let at = 0; at < ids.length; ) {
    const end = Math.min(ids.length, at + relationshipsAtOnce(hub.reading, hub.type))
    const found = await readByIds(hub, ids.subarray(at, end))
    if (found === null) continue
    yield { found, isOpen: end < ids.length }
    at = end
  }
}

/** Leaves out relationships that no longer exist. */
function readByIds({ reading, node, type }: Hub, ids: BigInt64Array) {
  const { direction } = type
  const near = { out: 's', in: 'e', both: 'CASE WHEN id(s) = $node THEN s ELSE e END' }[direction]
  const far = { out: 'e', in: 's', both: 'CASE WHEN id(s) = $node THEN e ELSE s END' }[direction]
  const match = `${eachRelationship} WITH r, ${near} AS n, ${far} AS m WHERE type(r) = $type AND id(n) = $node WITH n, r, m`
  const parameters = { ids: idsOf(ids), node: asInteger(node), type: type.type }
  return readRelationshipRows(reading, type, { match, parameters, isOne: ids.length === 1 })
}

const idsOf = (ids: BigInt64Array) => Array.from(ids, toInternalId)

const idsAtOnce = 10_000

/** Orders relationships by their own id, which distinguishes parallel ones. */
async function listByOwnId({ reading: { origin } }: Hub, ids: BigInt64Array, field: string): Promise<IdsByKey> {
  const query = `${eachRelationship} RETURN id(r), r.${quote(field)}`
  const byOwnId = collectIdsByKey()
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const some = idsOf(ids.subarray(at, at + idsAtOnce))
    await origin.each(query, { ids: some }, (row) => byOwnId.add(readInternalId(row), keyOfOwnId(row)))
  }
  return byOwnId.list()
}

/**
 * Equal ids have equal keys, also 5 and 5.0; different ids may collide. Other types are too rare to distinguish, and
 * NaN, which is an odd float, has no order.
 */
function keyOfOwnId(row: Cursor): number {
  const { bytes, at } = row
  switch (passValue(row)) {
    case kind.safeInteger:
    case kind.largeInteger:
      return row.open(bytes, at, row.end).integer()
    case kind.float:
      return row.open(bytes, at, row.end).float()
    case kind.string:
      return hashOf(bytes, at, row.at)
    default:
      return 0
  }
}

function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193)
  return hash
}
