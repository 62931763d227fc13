import { type Identity, isAlike, mergeText } from '../../../../packet/identity.ts'

export type IdentityPositions = ReturnType<typeof createIdentityPositions>

interface IdentityKind {
  /** A representative of identities that are alike. */
  identity: Identity
  index: number
  /** Positions by id. Shared by kinds of one label and id property: `MERGE` may treat their ids as equal. */
  positions: Map<string, number>
}

/**
 * Maps identities of the targeted nodes read so far to their positions among the targets, and back.
 * @param length number of targets. Each takes about 50 bytes plus the text of its id.
 */
export function createIdentityPositions(length: number) {
  const positionsOf = new Map<string, Map<string, number>>()
  const known = new Map<string, IdentityKind>()
  const kinds: IdentityKind[] = []
  // Parallel arrays: an object per identity would take a hundred bytes more.
  const texts = new Array<string>(length)
  const kindAt = new Uint32Array(length)
  // Most identities are of the same kind as the previous one.
  let last: IdentityKind | null = null

  function kindOf(identity: Identity): IdentityKind {
    if (last !== null && isAlike(last.identity, identity)) return last
    const { label, idProperty, id } = identity
    const node = `${label}\u0000${idProperty}`
    const key = `${node}\u0000${id.wrap}\u0000${id.list}`
    const positions = positionsOf.get(node) ?? new Map<string, number>()
    positionsOf.set(node, positions)
    last = known.get(key) ?? { identity, index: kinds.length, positions }
    if (last.index === kinds.length) kinds.push(last)
    known.set(key, last)
    return last
  }

  return {
    add(identity: Identity, position: number): void {
      const { index, positions } = kindOf(identity)
      positions.set(mergeText(identity.id), position)
      texts[position] = identity.id.json
      kindAt[position] = index
    },
    /** -1 if no node read so far has the identity. */
    of: (identity: Identity): number => kindOf(identity).positions.get(mergeText(identity.id)) ?? -1,
    /** The identity added at a position. */
    at(position: number): Identity {
      const { identity } = kinds[kindAt[position] as number] as IdentityKind
      return { ...identity, id: { ...identity.id, json: texts[position] as string } }
    },
  }
}
