import type { RelationshipType } from '../../packet/kinds/cleanup.ts'
import { readHub } from './hub.ts'
import { eachNode, type InternalId } from './internal-ids.ts'
import { arrow, countRelationships } from './queries.ts'
import type { Reading } from './reading.ts'
import { type RelationshipGroup, readGroup, relationshipsAtOnce } from './relationship-rows.ts'

/**
 * Reads every relationship of a type at each of these nodes, in groups of bounded size. A group has all relationships
 * of several nodes, or some relationships of one node that has very many. Parallel relationships are in one group or in
 * consecutive open groups. A relationship between two of the nodes is read from both, a self-loop once.
 */
export async function* readRelationships(
  reading: Reading,
  nodes: readonly InternalId[],
  type: RelationshipType,
): AsyncGenerator<RelationshipGroup> {
  const name = `${type.type} ${type.direction}`
  // Mostly there are few enough to read them without counting.
  const all = reading.counted.has(name) ? null : await readGroup(reading, type, ofNodes(type), { ids: nodes })
  if (all) return yield { found: all, isOpen: false }
  reading.counted.add(name)
  let isSplit = false
  let group: InternalId[] = []
  let size = 0
  for (const { node, count } of await countRelationships(reading.origin, nodes, type)) {
    const atOnce = relationshipsAtOnce(reading, type)
    if (size > 0 && size + count > atOnce) {
      isSplit = true
      yield* readSome(reading, group, type)
      group = []
      size = 0
    }
    if (count > atOnce) {
      isSplit = true
      yield* readHub(reading, node, type, count)
    } else {
      group.push(node)
      size += count
    }
  }
  if (size > 0) yield* readSome(reading, group, type)
  if (!isSplit) reading.counted.delete(name)
}

const ofNodes = (type: RelationshipType) => `${eachNode} MATCH (n)${arrow('r', type)}(m)`

/** Reads relationships that should fit, given their known size; if they do not, they are read in halves. */
async function* readSome(
  reading: Reading,
  nodes: readonly InternalId[],
  type: RelationshipType,
): AsyncGenerator<RelationshipGroup> {
  const found = await readGroup(reading, type, ofNodes(type), { ids: nodes })
  if (found) yield { found, isOpen: false }
  else if (nodes.length === 1) yield* readHub(reading, nodes[0] as InternalId, type)
  else {
    const half = nodes.length >> 1
    yield* readSome(reading, nodes.slice(0, half), type)
    yield* readSome(reading, nodes.slice(half), type)
  }
}
