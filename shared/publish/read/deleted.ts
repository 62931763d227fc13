import { setTimeout as delay } from 'node:timers/promises'
import type { NodeKeys } from '../request/identity.ts'
import { isUnidentified } from './identifying-values.ts'
import { eachNode, type InternalId, readInternalId } from './internal-ids.ts'
import type { Reading } from './reading.ts'

interface Node extends NodeKeys {
  node: InternalId
}

// A deletion takes some milliseconds, more on a busy origin, so it may also take effect while the node is checked. If
// bare nodes are skipped, one check must be enough.
const pausesMs = [0, 20, 200]

/**
 * Leaves out elements with a node that no longer exists. A deletion takes effect while queries run: a node that is
 * deleted just then is read without labels or without properties, as if nothing identified it. A node that looks like
 * this at every check was not deleted. A new node may have taken over the internal id, but looks different.
 * @param nodesOf the nodes of an element, as they were read with it
 */
export async function withoutDeleted<Element>(
  reading: Pick<Reading, 'origin' | 'plan'>,
  elements: Element[],
  nodesOf: (element: Element) => readonly Node[],
): Promise<Element[]> {
  let bare = new Set<InternalId>()
  for (const element of elements) for (const one of nodesOf(element)) if (isBare(one)) bare.add(one.node)
  if (bare.size === 0) return elements
  for (const pauseMs of reading.plan.skips ? [0] : pausesMs) {
    if (bare.size === 0) break
    if (pauseMs > 0) await delay(pauseMs)
    bare = await bareOf(reading, bare)
  }
  const isDeleted = (one: Node) => isBare(one) && !bare.has(one.node)
  return elements.filter((element) => !nodesOf(element).some(isDeleted))
}

const isBare = ({ labels, properties }: NodeKeys) => labels.length === 0 || properties.shape.isEmpty

/** The nodes among these that exist without labels, or without any property that could identify them. */
async function bareOf({ origin, plan }: Pick<Reading, 'origin' | 'plan'>, ids: ReadonlySet<InternalId>) {
  const query = `${eachNode} WITH n WHERE ${isUnidentified('n')} RETURN id(n)`
  const bare = new Set<InternalId>()
  const parameters = { ids: [...ids], idProperties: plan.identity.byLabel }
  await origin.each(query, parameters, (row) => bare.add(readInternalId(row)))
  return bare
}
