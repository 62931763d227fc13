import { quote } from '../../cypher/identifiers.ts'
import type { RelationshipType } from '../request/relationship-types.ts'
import { collectIdsByKey, type IdsByKey } from './ids-by-key.ts'
import { asInteger, eachRelationship, type InternalId, internalId, toInternalId } from './internal-ids.ts'
import type { Reading } from './properties.ts'
import { arrow } from './queries.ts'
import { type RelationshipGroup, readGroup, readRows, relationshipsAtOnce } from './relationship-rows.ts'

/** Relationships of a type at a node. */
interface Hub {
  work: Reading
  node: InternalId
  type: RelationshipType
}

/** More parts than these take longer than to list what there is, for each is sought among all. */
const mostParts = 8

/**
 * The relationships of a type at one node that has more of them than may be held at once, in parts by their far ends.
 * Those to one far end are in one group or in open ones.
 * @param count how many there are; without it the parts are not tried.
 */
export async function* readHub(
  work: Reading,
  node: InternalId,
  type: RelationshipType,
  count = Number.POSITIVE_INFINITY,
): AsyncGenerator<RelationshipGroup> {
  const hub = { work, node, type }
  const parts = Math.ceil(count / relationshipsAtOnce(work, type))
  if (parts > mostParts) return yield* readListed(hub, ofHub(hub))
  for (let part = 0; part < parts; part++) {
    const match = `${ofHub(hub)} AND id(m) % ${parts} = ${part}`
    const rows = await readGroup(work, type, match, { node: asInteger(node) })
    if (rows) yield { rows, isOpen: false }
    else yield* readListed(hub, match)
  }
}

const ofHub = ({ type }: Hub) => `MATCH (n)${arrow('r', type)}(m) WHERE id(n) = $node`

/** Lists relationships first, 16 bytes each, and reads them by their ids. */
async function* readListed(hub: Hub, match: string): AsyncGenerator<RelationshipGroup> {
  const { relationshipIdField } = hub.work.plan
  yield* readInOrder(hub, await listByFarEnd(hub, match), async function* (ids) {
    if (relationshipIdField === null) yield* readParallel(hub, ids)
    else yield* readInOrder(hub, await listByOwnId(hub, ids, relationshipIdField), (same) => readParallel(hub, same))
  })
}

async function listByFarEnd({ work: { origin }, node }: Hub, match: string): Promise<IdsByKey> {
  const query = `${match} RETURN [${internalId('r')}, ${internalId('m')}]`
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
  const match = `${eachRelationship} WITH r, ${near} AS n, ${far} AS m WHERE type(r) = $type AND id(n) = $node WITH n, r, m`
  const parameters = { ids: idsOf(ids), node: asInteger(node), type: type.type }
  return readRows(work, type, { match, parameters, isOne: ids.length === 1 })
}

const idsOf = (ids: BigInt64Array) => Array.from(ids, toInternalId)

const idsAtOnce = 10_000

/** The same relationships in the order of what tells parallel ones apart. */
async function listByOwnId({ work: { origin } }: Hub, ids: BigInt64Array, field: string): Promise<IdsByKey> {
  const query = `${eachRelationship} RETURN [${internalId('r')}, r.${quote(field)}]`
  const byOwnId = collectIdsByKey()
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const some = idsOf(ids.subarray(at, at + idsAtOnce))
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
