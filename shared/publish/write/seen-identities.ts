import { fnv1a } from '../../../packet/fnv1a.ts'
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

/** Never 0, which stands for no identity. */
const hashOf = ({ label, idProperty, id }: Identity): number =>
  fnv1a(`${label}\u0000${idProperty}\u0000${mergeText(id)}`) || 1
