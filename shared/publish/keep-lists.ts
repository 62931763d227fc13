import { byCodePoint } from '../cypher/identifiers.ts'
import type { Rendered } from '../cypher/values.ts'
import type { InternalId } from './reads.ts'
import type { KeepClause } from './statements/cleanup.ts'

/** What to keep of one kind: the ids as JSON, each once. */
export interface KeepList {
  clause: KeepClause
  ids: Set<string>
}

/** What a node's cleanup keeps, gathered while its relationships are read, given out when its turn comes. */
export function createKeepLists() {
  const nodes = new Map<InternalId, Map<string, Map<string, KeepList>>>()
  const spoiled = new Set<string>()
  return {
    /** Notes that the origin has a relationship of `type` at this node, known by `clause` and `id`. */
    keep(node: InternalId, type: string, clause: KeepClause, id: Rendered): void {
      const types = nodes.get(node) ?? new Map<string, Map<string, KeepList>>()
      nodes.set(node, types)
      const lists = types.get(type) ?? new Map<string, KeepList>()
      types.set(type, lists)
      const key = order(clause).join('\u0000')
      const list = lists.get(key) ?? { clause, ids: new Set() }
      lists.set(key, list)
      list.ids.add(id.json)
    },
    /** Notes that something at this node was skipped: its cleanup would delete what the origin has. */
    spoil(node: InternalId, type: string): void {
      spoiled.add(`${node} ${type}`)
    },
    isSpoiled: (node: InternalId, type: string): boolean => spoiled.has(`${node} ${type}`),
    /** The lists of a node and type, outgoing first, then by label (contract 5). They are forgotten. */
    take(node: InternalId, type: string): KeepList[] {
      const types = nodes.get(node)
      const lists = [...(types?.get(type)?.values() ?? [])]
      types?.delete(type)
      if (types?.size === 0) nodes.delete(node)
      return lists.sort((a, b) => inOrder(order(a.clause), order(b.clause)))
    },
  }
}

export type KeepLists = ReturnType<typeof createKeepLists>

/** What tells clauses apart, and in which order they stand: "0" is outgoing, "1" incoming. */
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
