import { byCodePoint } from '../../../cypher/identifiers.ts'
import type { Rendered } from '../../../cypher/values.ts'
import type { KeepClause, KeepList } from '../../pairs/statements/cleanup.ts'
import type { InternalId } from '../../read/internal-ids.ts'
import { type Identity, isAlike } from '../../request/identity.ts'

/** Placeholder for an id whose value does not matter. */
export const anyId: Rendered = { json: '', wrap: null, list: false }

/** Collects what the cleanup of each node keeps, while relationships are read. */
export function createKeepLists() {
  const types = new Map<string, Map<InternalId, KeepList[]>>()
  const suppressed = new Set<string>()
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

  function keep(node: InternalId, type: string, clause: KeepClause, id: Rendered) {
    const nodes = types.get(type) ?? new Map<InternalId, KeepList[]>()
    types.set(type, nodes)
    const lists = nodes.get(node)
    const list = lists?.find((one) => one.clause === clause)
    if (list) list.ids.add(id.json)
    else if (lists) lists.push({ clause, ids: new Set([id.json]) })
    else nodes.set(node, [{ clause, ids: new Set([id.json]) }])
  }

  return {
    /** Records that the origin has a relationship of `type` at this node, in that direction, to `far`. */
    keepFarEnd(node: InternalId, type: string, direction: 'out' | 'in', far: Identity): void {
      keep(node, type, farEnd(direction, far), far.id)
    },
    /** Records that the origin has a relationship of `type` at this node, with this id in its property `field`. */
    keepId(node: InternalId, type: string, field: string, id: Rendered): void {
      keep(node, type, oneOf({ by: 'relationshipId', field, id }), id)
    },
    /** Records that something at this node was skipped: its cleanup would delete what the origin has. */
    suppressCleanup(node: InternalId, type: string): void {
      suppressed.add(`${node} ${type}`)
    },
    /**
     * Removes and returns the lists of a node and type, outgoing first, then by label (contract 5); null: no cleanup.
     */
    take(node: InternalId, type: string): KeepList[] | null {
      const nodes = types.get(type)
      const lists = nodes?.get(node) ?? []
      nodes?.delete(node)
      if (suppressed.size > 0 && suppressed.delete(`${node} ${type}`)) return null
      return lists.length < 2 ? lists : lists.sort((a, b) => inOrder(order(a.clause), order(b.clause)))
    },
  }
}

export type KeepLists = ReturnType<typeof createKeepLists>

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
