import { byCodePoint } from '../cypher/identifiers.ts'
import type { Identity } from './identity.ts'
import type { InternalId } from './reads.ts'
import type { KeepClause } from './statements/cleanup.ts'

/** The far ends to keep of one kind: their ids as JSON, each once. */
export interface KeepList {
  clause: KeepClause
  ids: Set<string>
}

/** What a node's cleanup keeps, gathered while its relationships are read, given out when its turn comes. */
export function createKeepLists() {
  const nodes = new Map<InternalId, Map<string, Map<string, KeepList>>>()
  return {
    /** Notes that the origin has a relationship of `type` from (`out`) or to (`in`) this node. */
    keep(node: InternalId, type: string, direction: 'out' | 'in', { label, idProperty, id }: Identity): void {
      const types = nodes.get(node) ?? new Map<string, Map<string, KeepList>>()
      nodes.set(node, types)
      const lists = types.get(type) ?? new Map<string, KeepList>()
      types.set(type, lists)
      const key = [direction, label, idProperty, id.wrap ?? '', id.list].join('\u0000')
      const list = lists.get(key) ?? { clause: { direction, label, idProperty, id }, ids: new Set() }
      lists.set(key, list)
      list.ids.add(id.json)
    },
    /** The lists of a node and type, outgoing first, then by label (contract 5). They are forgotten. */
    take(node: InternalId, type: string): KeepList[] {
      const types = nodes.get(node)
      const lists = [...(types?.get(type)?.values() ?? [])]
      types?.delete(type)
      if (types?.size === 0) nodes.delete(node)
      return lists.sort((a, b) => inOrder(a.clause, b.clause))
    },
  }
}

export type KeepLists = ReturnType<typeof createKeepLists>

const order = ({ label, idProperty, id }: KeepClause) => [label, idProperty, id.wrap ?? '', id.list ? '*' : '']

function inOrder(a: KeepClause, b: KeepClause): number {
  if (a.direction !== b.direction) return a.direction === 'out' ? -1 : 1
  const [left, right] = [order(a), order(b)]
  for (const [index, part] of left.entries()) {
    const difference = byCodePoint(part, right[index] as string)
    if (difference !== 0) return difference
  }
  return 0
}
