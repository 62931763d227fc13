import { setTimeout as delay } from 'node:timers/promises'
import { quote } from '../../packet/cypher/identifiers.ts'
import type { Cursor } from '../../packet/packstream/cursor.ts'
import * as errors from '../errors/catalogue.ts'
import { malformed } from '../origin/origin-cursor.ts'
import { absentShape } from '../origin/shapes.ts'
import type { NodeKeys } from '../request/identity.ts'
import { isUnidentified } from './identifying-values.ts'
import { eachNode, eachRelationship, type InternalId, readInternalId } from './internal-ids.ts'
import type { Reading } from './reading.ts'

interface Node extends NodeKeys {
  node: InternalId
}

/** A relationship as it was read: nodes that are its ends, and what is known of them. */
interface Relationship {
  relationship: InternalId
  nodes: readonly InternalId[]
  ends: readonly Node[]
}

type Looking = Pick<Reading, 'origin' | 'plan'>

// A deletion takes some milliseconds, more on a busy origin, so it may also take effect while the origin is asked again.
// If bare nodes are skipped, one look must be enough for them.
const pausesMs = [0, 20, 200]

const isBare = ({ labels, properties }: NodeKeys) => labels.length === 0 || properties.shape.isEmpty
const isNull = ({ properties }: NodeKeys) => properties.shape === absentShape

/** Whether a node may have been deleted while it was read. No property identifies a node without a mapped label. */
function isSuspect({ plan }: Looking, node: NodeKeys): boolean {
  if (!isBare(node)) return false
  if (!plan.skips || isNull(node) || node.labels.length === 0) return true
  return node.labels.some((label) => plan.identity.idProperties.has(label))
}

/** What a second look says of an element that exists: it is as it was read, it was hidden, or this node has changed. */
type Look = 'as read' | 'hidden' | { changed: InternalId }

const lookAt = (node: Node, isNowBare: boolean): Look => {
  if (isNull(node)) return 'hidden'
  return isNowBare || !isBare(node) ? 'as read' : { changed: node.node }
}

/**
 * Leaves out nodes that no longer exist. A deletion takes effect while queries run: a node that is deleted just then is
 * read without labels or without properties, as if nothing identified it. Only the origin can say that it was deleted.
 * @throws originBroke (502) if a node exists that was answered as null: the origin does not answer what it is asked;
 * originChanged (502) if it got its label or id in the meantime
 */
export async function withoutDeleted<One extends Node>(reading: Looking, nodes: One[]): Promise<One[]> {
  const suspects = new Map(nodes.filter((node) => isSuspect(reading, node)).map((node) => [node.node, node]))
  const query = `${eachNode} RETURN id(n), coalesce(${isUnidentified('n')}, true)`
  const deleted = await deletedAmong(reading, suspects, query, (row) => {
    const node = readInternalId(row)
    const isNowBare = row.boolean()
    const read = suspects.get(node)
    return read ? [node, lookAt(read, isNowBare)] : null
  })
  return deleted.size === 0 ? nodes : nodes.filter(({ node }) => !deleted.has(node))
}

/**
 * Which of these nodes no longer exist. The origin has answered null for the property by which it found them.
 * @throws originBroke (502) if one of them has the property
 */
export function deletedOf(reading: Looking, nodes: readonly InternalId[], property: string): Promise<Set<InternalId>> {
  const query = `${eachNode} RETURN id(n), n.${quote(property)} IS NULL`
  return deletedAmong(reading, new Map(nodes.map((node) => [node, null])), query, (row) => {
    const node = readInternalId(row)
    return [node, row.boolean() ? 'as read' : 'hidden']
  })
}

/**
 * Leaves out relationships that no longer exist, as `withoutDeleted` does.
 * @param absent relationships that the origin has answered as if they did not exist
 */
export async function withoutDeletedRelationships<Row>(
  reading: Looking,
  rows: Row[],
  relationshipOf: (row: Row) => Relationship,
  absent: readonly Omit<Relationship, 'ends'>[],
): Promise<Row[]> {
  const suspects = new Map<InternalId, Omit<Relationship, 'ends'> & Partial<Relationship>>()
  for (const row of rows) {
    const read = relationshipOf(row)
    if (read.ends.some((end) => isSuspect(reading, end))) suspects.set(read.relationship, read)
  }
  for (const read of absent) suspects.set(read.relationship, read)
  const bare = ['s', 'e'].map((end) => `coalesce(${isUnidentified(end)}, true)`)
  const query = `${eachRelationship} RETURN id(r), id(s), id(e), ${bare.join(', ')}`
  const deleted = await deletedAmong(reading, suspects, query, (row) => {
    const relationship = readInternalId(row)
    const nodes = [readInternalId(row), readInternalId(row)]
    const areBare = new Map([nodes[0], nodes[1]].map((node) => [node, row.boolean()]))
    const read = suspects.get(relationship)
    // A new relationship has taken over the internal id.
    if (!read?.nodes.every((node) => nodes.includes(node))) return null
    const looks = read.ends?.map((end) => lookAt(end, areBare.get(end.node) === true)) ?? ['hidden']
    return [
      relationship,
      looks.find((look) => look === 'hidden') ?? looks.find((look) => look !== 'as read') ?? 'as read',
    ]
  })
  return deleted.size === 0 ? rows : rows.filter((row) => !deleted.has(relationshipOf(row).relationship))
}

/**
 * Asks again for elements that seem to have been deleted.
 * @param query returns those that exist; `read` reads its rows: an id, and how the element is now
 */
async function deletedAmong(
  { origin, plan }: Looking,
  suspects: ReadonlyMap<InternalId, unknown>,
  query: string,
  read: (row: Cursor) => readonly [InternalId, Look] | null,
): Promise<Set<InternalId>> {
  const deleted = new Set<InternalId>()
  let left = [...suspects.keys()]
  let existing = new Map<InternalId, Look>()
  for (const pauseMs of pausesMs) {
    if (left.length === 0) break
    if (pauseMs > 0) await delay(pauseMs)
    existing = new Map()
    await origin.each(query, { ids: left, idProperties: plan.identity.byLabel }, (row) => {
      const found = read(row)
      if (found) existing.set(...found)
    })
    for (const id of left) if (!existing.has(id)) deleted.add(id)
    left = left.filter((id) => existing.has(id) && !(plan.skips && existing.get(id) === 'as read'))
  }
  const looks = left.map((id) => existing.get(id) as Look)
  if (looks.includes('hidden')) throw malformed('an element that exists was answered as if it did not')
  for (const look of looks) if (typeof look === 'object') throw errors.originChanged(`the node ${look.changed}`)
  return deleted
}
