import type { Origin } from '../../origin/connect.ts'
import type { NodeKeys } from '../request/identity.ts'
import { eachNode, type InternalId, readInternalId } from './internal-ids.ts'

interface Node extends NodeKeys {
  node: InternalId
}

/**
 * Leaves out elements with a node that no longer exists. A deletion takes effect while queries run: a node that is
 * deleted just then is read without labels or without properties, as if nothing identified it.
 * @param nodesOf the nodes of an element, as they were read with it
 */
export async function withoutDeleted<Element>(
  origin: Origin,
  elements: Element[],
  nodesOf: (element: Element) => readonly Node[],
): Promise<Element[]> {
  const bare = new Set<InternalId>()
  for (const element of elements) for (const one of nodesOf(element)) if (isBare(one)) bare.add(one.node)
  if (bare.size === 0) return elements
  const existing = new Set<InternalId>()
  await origin.each(`${eachNode} RETURN id(n)`, { ids: [...bare] }, (row) => existing.add(readInternalId(row)))
  const isDeleted = (one: Node) => isBare(one) && !existing.has(one.node)
  return elements.filter((element) => !nodesOf(element).some(isDeleted))
}

const isBare = ({ labels, properties }: NodeKeys) => labels.length === 0 || properties.shape.isEmpty
