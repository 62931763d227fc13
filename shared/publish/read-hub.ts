import { quote } from '../cypher/identifiers.ts'
import { collectIdsByKey, type IdsByKey } from './ids-by-key.ts'
import { asInteger, eachRelationship, type InternalId, internalId } from './internal-ids.ts'
import type { Reading } from './read-properties.ts'
import { type RelationshipGroup, readRows, relationshipsAtOnce } from './read-relationship-rows.ts'
import { arrow } from './reads.ts'
import type { RelationshipType } from './relationship-types.ts'

/** Relationships of a type at a node. */
interface Hub {
  work: Reading
  node: InternalId
  type: RelationshipType
}

/**
 * The relationships of a type at one node that has more of them than may be held at once: listed first, 16 bytes each,
 * then read by their ids. Those to one far end are in one group or in open ones.
 */
export async function* readHub(
  work: Reading,
  node: InternalId,
  type: RelationshipType,
): AsyncGenerator<RelationshipGroup> {
  const hub = { work, node, type }
  const { relationshipIdField } = work.plan
  yield* readInOrder(hub, await listByFarEnd(hub), async function* (ids) {
    if (relationshipIdField === null) yield* readParallel(hub, ids)
    else yield* readInOrder(hub, await listByOwnId(hub, ids, relationshipIdField), (same) => readParallel(hub, same))
  })
}

async function listByFarEnd({ work: { origin }, node, type }: Hub): Promise<IdsByKey> {
  const query = `MATCH (n)${arrow('r', type)}(m) WHERE id(n) = $node RETURN [${internalId('r')}, ${internalId('m')}]`
  const byFarEnd = collectIdsByKey()
  // Beyond 2^53 some far ends have one number: then they are read as if they were one.
  await origin.each(query, { node: asInteger(node) }, ([id, far]) => byFarEnd.add(id as InternalId, Number(far)))
  return byFarEnd.list()
}

/** Reads as many at once as fit, with all of a key together; those of a key that has too many are left to `readKey`. */
async function* readInOrder(
  hub: Hub,
  { ids, endOfKey }: IdsByKey,
  readKey: (ids: BigInt64Array) => AsyncGenerator<RelationshipGroup>,
): AsyncGenerator<RelationshipGroup> {
  for (let at = 0; at < ids.length; ) {
    const atOnce = relationshipsAtOnce(hub.work, hub.type)
    const first = endOfKey(at)
    let end = first
    while (end < ids.length && endOfKey(end) - at <= atOnce) end = endOfKey(end)
    const rows = end - at > atOnce ? null : await readByIds(hub, ids.subarray(at, end))
    if (rows) yield { rows, isOpen: false }
    else if (end === first) yield* readKey(ids.subarray(at, end))
    else continue // they turned out to be large: now it is known how many to read
    at = end
  }
}

/** Relationships that may be parallel, in open groups. */
async function* readParallel(hub: Hub, ids: BigInt64Array): AsyncGenerator<RelationshipGroup> {
  for (let at = 0; at < ids.length; ) {
    const end = Math.min(ids.length, at + relationshipsAtOnce(hub.work, hub.type))
    const rows = await readByIds(hub, ids.subarray(at, end))
    if (rows === null) continue
    yield { rows, isOpen: end < ids.length }
    at = end
  }
}

/** One that is gone by now is left out. */
function readByIds({ work, node, type }: Hub, ids: BigInt64Array) {
  const { direction } = type
  const near = { out: 's', in: 'e', both: 'CASE WHEN id(s) = $node THEN s ELSE e END' }[direction]
  const far = { out: 'e', in: 's', both: 'CASE WHEN id(s) = $node THEN e ELSE s END' }[direction]
  const match = `${eachRelationship} WITH r, startNode(r) AS s, endNode(r) AS e
    WITH r, ${near} AS n, ${far} AS m WHERE type(r) = $type AND id(n) = $node WITH n, r, m`
  const parameters = { ids: [...ids], node: asInteger(node), type: type.type }
  return readRows(work, type, { match, parameters, isOne: ids.length === 1 })
}

const idsAtOnce = 10_000

/** The same relationships in the order of what tells parallel ones apart. */
async function listByOwnId({ work: { origin } }: Hub, ids: BigInt64Array, field: string): Promise<IdsByKey> {
  const query = `${eachRelationship} RETURN [${internalId('r')}, r.${quote(field)}]`
  const byOwnId = collectIdsByKey()
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const some = [...ids.subarray(at, at + idsAtOnce)]
    await origin.each(query, { ids: some }, ([id, ownId]) => byOwnId.add(id as InternalId, keyOfOwnId(ownId)))
  }
  return byOwnId.list()
}

/** Equal ids have one key, 5 and 5.0 too; different ones may. Other types are too rare to be told apart. */
function keyOfOwnId(id: unknown): number {
  if (typeof id === 'number' || typeof id === 'bigint') return Number(id) || 0 // NaN has no order
  if (typeof id !== 'string') return 0
  let hash = 0x811c9dc5
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193)
  return hash
}
