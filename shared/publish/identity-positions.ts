import { type Identity, mergeText } from './identity.ts'

/** Where targeted nodes stand among the targets, by their identities: of the nodes that were read so far. */
export interface IdentityPositions {
  add(identity: Identity, position: number): void
  /** -1 where no node that was read has the identity. */
  of(identity: Identity): number
}

export function createIdentityPositions(): IdentityPositions {
  const kinds = new Map<string, Map<string, number>>()
  // Most identities are of the kind of the one before them.
  let last: { label: string; idProperty: string; positions: Map<string, number> } | null = null

  function ofKind({ label, idProperty }: Identity): Map<string, number> {
    if (last?.label === label && last.idProperty === idProperty) return last.positions
    const kind = `${label}\u0000${idProperty}`
    const positions = kinds.get(kind) ?? new Map<string, number>()
    kinds.set(kind, positions)
    last = { label, idProperty, positions }
    return positions
  }

  return {
    add: (identity, position) => void ofKind(identity).set(mergeText(identity.id), position),
    of: (identity) => ofKind(identity).get(mergeText(identity.id)) ?? -1,
  }
}
