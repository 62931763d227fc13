import { byCodePoint } from '../../../packet/cypher/identifiers.ts'
import { type Identity, isAlike } from '../../../packet/identity.ts'
import type { KeepClause, KeepList } from '../../../packet/kinds/cleanup.ts'
import type { Rendered } from '../../../packet/values/values.ts'

/**
 * Collects what the cleanup of each targeted node keeps, while relationships are read. Nodes are given by their
 * positions among the targets.
 */
export function createKeepLists() {
  const types = new Map<string, Map<number, KeepList[]>>()
  const clauses = new Map<string, KeepClause>()
  let last: { direction: 'out' | 'in'; far: Identity; clause: KeepClause } | null = null

  /** Interns clauses, so that most lists are found without comparing texts. */
  function oneOf(clause: KeepClause): KeepClause {
    const key = order(clause).join('\u0000')
    const known = clauses.get(key) ?? clause
    clauses.set(key, known)
    return known
  }

  function farEnd(direction: 'out' | 'in', far: Identity): KeepClause {
    if (last?.direction === direction && isAlike(last.far, far)) return last.clause
    const { label, idProperty, id } = far
    last = { direction, far, clause: oneOf({ by: 'farEnd', direction, label, idProperty, id }) }
    return last.clause
  }

  function keep(position: number, type: string, clause: KeepClause, id: Rendered) {
    const nodes = types.get(type) ?? new Map<number, KeepList[]>()
    types.set(type, nodes)
    const lists = nodes.get(position)
    const list = lists?.find((one) => one.clause === clause)
    if (list) list.ids.add(id.json)
    else if (lists) lists.push({ clause, ids: new Set([id.json]) })
    else nodes.set(position, [{ clause, ids: new Set([id.json]) }])
  }

  return {
    /** Records that the origin has a relationship of `type` at this node, in that direction, to `far`. */
    keepFarEnd(position: number, type: string, direction: 'out' | 'in', far: Identity): void {
      keep(position, type, farEnd(direction, far), far.id)
    },
    /** Records that the origin has a relationship of `type` at this node, with this id in its property `field`. */
    keepId(position: number, type: string, field: string, id: Rendered): void {
      keep(position, type, oneOf({ by: 'relationshipId', field, id }), id)
    },
    /** Removes and returns the lists of a node and type, outgoing first, then by label (contract 5). */
    take(position: number, type: string): KeepList[] {
      const nodes = types.get(type)
      const lists = nodes?.get(position) ?? []
      nodes?.delete(position)
      return lists.length < 2 ? lists : lists.sort((a, b) => inOrder(order(a.clause), order(b.clause)))
    },
    /** Removes the lists of nodes before this position that were not taken. */
    dropBefore(end: number): void {
      for (const nodes of types.values()) {
        for (const position of nodes.keys()) if (position < end) nodes.delete(position)
      }
    },
  }
}

/** Sort key that identifies a clause: "0" is outgoing, "1" incoming. */
function order(clause: KeepClause): string[] {
  const expression = [clause.id.wrap ?? '', clause.id.list ? '*' : '']
  if (clause.by === 'relationshipId') return [clause.field, ...expression]
  return [clause.direction === 'out' ? '0' : '1', clause.label, clause.idProperty, ...expression]
}

function inOrder(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const difference = byCodePoint(part, b[index] ?? '')
    if (difference !== 0) return difference
  }
  return 0
}
