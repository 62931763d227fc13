import type { GraphText } from '../../../dev/replay/compare-graphs.ts'
import type { Operation } from '../generator/histories.ts'

/** The names of nodes by id, null for no name, and the number `at` of relationships, by start and end. */
export interface Model {
  nodes: Map<string, string | null>
  relationships: Map<string, number>
}

/** What the operations make of a graph, whatever their order is. */
export function afterOperations({ nodes, relationships }: Model, operations: readonly Operation[]): Model {
  const after = { nodes: new Map(nodes), relationships: new Map(relationships) }
  const remove = (isGone: (start: string, end: string) => boolean) => {
    for (const key of after.relationships.keys()) {
      if (isGone(...(key.split(' ') as [string, string]))) after.relationships.delete(key)
    }
  }
  for (const it of operations) {
    if (it.kind === 'upsert') after.nodes.set(it.id, it.name)
    if (it.kind === 'relate') {
      for (const id of [it.start, it.end]) if (!after.nodes.has(id)) after.nodes.set(id, null)
      after.relationships.set(`${it.start} ${it.end}`, it.at)
    }
    if (it.kind === 'forget' && after.nodes.has(it.id)) after.nodes.set(it.id, null)
    if (it.kind === 'clean') remove((start, end) => start === it.id && !it.kept.includes(end))
    if (it.kind === 'delete') {
      after.nodes.delete(it.id)
      remove((start, end) => start === it.id || end === it.id)
    }
  }
  return after
}

export const modelText = ({ nodes, relationships }: Model): GraphText => ({
  nodes: [...nodes].map((entry) => entry.join(' ')).sort(),
  relationships: [...relationships].map((entry) => entry.join(' ')).sort(),
})
