import { type Identity, isAlike, mergeText } from '../../request/identity.ts'

/** Where targeted nodes stand among the targets, by their identities: of the nodes that were read so far. */
export interface IdentityPositions {
  add(identity: Identity, position: number): void
  /** -1 where no node that was read has the identity. */
  of(identity: Identity): number
  /** The identity that was added at a position. */
  at(position: number): Identity
}

interface Kind {
  /** One of those that are alike. */
  identity: Identity
  index: number
  /** By ids. `MERGE` may take those of two kinds for the same: these share it. */
  positions: Map<string, number>
}

/** @param length how many targets there are. Each takes some 50 bytes, and the text of its id. */
export function createIdentityPositions(length: number): IdentityPositions {
  const positionsOf = new Map<string, Map<string, number>>()
  const known = new Map<string, Kind>()
  const kinds: Kind[] = []
  // An object for each identity would take a hundred bytes more.
  const texts = new Array<string>(length)
  const kindAt = new Uint32Array(length)
  // Most identities are of the kind of the one before them.
  let last: Kind | null = null

  function kindOf(identity: Identity): Kind {
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
    add(identity, position) {
      const { index, positions } = kindOf(identity)
      positions.set(mergeText(identity.id), position)
      texts[position] = identity.id.json
      kindAt[position] = index
    },
    of: (identity) => kindOf(identity).positions.get(mergeText(identity.id)) ?? -1,
    at(position) {
      const { identity } = kinds[kindAt[position] as number] as Kind
      return { ...identity, id: { ...identity.id, json: texts[position] as string } }
    },
  }
}
