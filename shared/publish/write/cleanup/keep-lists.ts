import { byCodePoint } from '../../../../packet/cypher/identifiers.ts'
import { type Identity, isAlike } from '../../../../packet/identity.ts'
import { clauseKey, type KeepClause, type KeepList } from '../../../../packet/kinds/keep-clauses.ts'
import type { Rendered } from '../../../../packet/values/values.ts'

/**
 * Collects what the cleanup of each targeted node keeps, while relationships are read. Nodes are given by their
 * positions among the targets, `field` is the property with the relationships' own ids.
 */
export function createKeepLists(field: string | null) {
  const types = new Map<string, Map<number, KeepList[]>>()
  const clauses = new Map<string, KeepClause>()
  let last: { direction: 'out' | 'in'; far: Identity; own: Rendered | null; clause: KeepClause } | null = null

  /** Interns clauses, so that most lists are found without comparing texts. */
  function oneOf(clause: KeepClause): KeepClause {
    const key = clauseKey(clause).join('\u0000')
    const known = clauses.get(key) ?? clause
    clauses.set(key, known)
    return known
  }

  function farEnd(direction: 'out' | 'in', far: Identity, own: Rendered | null): KeepClause {
    if (last?.direction === direction && isAlike(last.far, far) && needSame(last.own, own)) return last.clause
    const { label, idProperty, id } = far
    const end = { direction, label, idProperty, id }
    const clause = own
      ? oneOf({ by: 'farEndAndId', ...end, field: field as string, relationshipId: own })
      : oneOf({ by: 'farEnd', ...end })
    last = { direction, far, own, clause }
    return clause
  }

  function keep(position: number, type: string, clause: KeepClause, id: string) {
    const nodes = types.get(type) ?? new Map<number, KeepList[]>()
    types.set(type, nodes)
    const lists = nodes.get(position)
    const list = lists?.find((one) => one.clause === clause)
    if (list) list.ids.add(id)
    else if (lists) lists.push({ clause, ids: new Set([id]) })
    else nodes.set(position, [{ clause, ids: new Set([id]) }])
  }

  return {
    /**
     * Records that the origin has a relationship of `type` at this node, in that direction, to `far`. `own` is its own
     * id, which the list then keeps, too.
     */
    keepFarEnd(position: number, type: string, direction: 'out' | 'in', far: Identity, own: Rendered | null): void {
      keep(position, type, farEnd(direction, far, own), own ? `[${far.id.json},${own.json}]` : far.id.json)
    },
    /** Records that the origin has a relationship of `type` at this node, with this own id. */
    keepId(position: number, type: string, id: Rendered): void {
      keep(position, type, oneOf({ by: 'relationshipId', field: field as string, id }), id.json)
    },
    /** Removes and returns the lists of a node and type, outgoing first, then by label (contract 5). */
    take(position: number, type: string): KeepList[] {
      const nodes = types.get(type)
      const lists = nodes?.get(position) ?? []
      nodes?.delete(position)
      return lists.length < 2 ? lists : lists.sort((a, b) => inOrder(clauseKey(a.clause), clauseKey(b.clause)))
    },
    /** Removes the lists of nodes before this position that were not taken. */
    dropBefore(end: number): void {
      for (const nodes of types.values()) {
        for (const position of nodes.keys()) if (position < end) nodes.delete(position)
      }
    },
  }
}

const needSame = (a: Rendered | null, b: Rendered | null) => a?.wrap === b?.wrap && a?.list === b?.list

function inOrder(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const difference = byCodePoint(part, b[index] ?? '')
    if (difference !== 0) return difference
  }
  return 0
}
