import { type Identity, mergeText, nameOf } from '../../../packet/identity.ts'
import * as errors from '../../errors/catalogue.ts'
import type { Plan } from '../../request/plan.ts'

export type SeenIdentities = ReturnType<typeof createSeenIdentities>

/**
 * Notices that a targeted node changed its identity between two reads of one sub-request. The upsert of a node sets its
 * current labels. If an earlier pair identifies the node by another label, it may find the node after the upsert but not
 * before, so the result would depend on the order of replay. Contract 5. Each target takes four bytes.
 */
export function createSeenIdentities(
  { publishesNodes, relationships, relationshipIds }: Plan,
  targets: { length: number },
) {
  // Without relationships, only its own upsert finds a target.
  const isNeeded = publishesNodes && relationships.length + relationshipIds.length > 0
  const hashes = new Uint32Array(isNeeded ? targets.length : 0)
  return {
    /**
     * Call with each identity by which a pair finds the target at this position; -1 for any other node.
     * @throws originChanged (502) if an earlier call had another identity.
     */
    see(position: number, identity: Identity): void {
      if (position < 0 || position >= hashes.length) return
      const hash = hashOf(identity)
      hashes[position] ||= hash
      if (hashes[position] !== hash) throw errors.originChanged(nameOf(identity))
    },
  }
}

/** FNV-1a, 32 bits, and never 0. */
function hashOf({ label, idProperty, id }: Identity): number {
  const text = `${label}\u0000${idProperty}\u0000${mergeText(id)}`
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0 || 1
}
