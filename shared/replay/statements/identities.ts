import type { Anchor } from '../../publish/pairs/statements/statement.ts'
import type { Structure } from './structure.ts'

/** A node that a statement finds by identity; `parameter` holds its id, or its list of ids. */
export interface IdentifiedNode extends Anchor {
  parameter: string
}

/** The type of the relationship that a statement names by its ends; null for other statements. */
export function typeBetween(it: Structure): string | null {
  if (it.kind === 'relationshipCreate') return it.type
  return 'ends' in it ? it.ends.type : null
}

/** The nodes that a statement finds by identity; of a relationship, the start comes first. */
export function identitiesOf(it: Structure): IdentifiedNode[] {
  const named = (parameters: readonly string[], ...nodes: readonly Anchor[]): IdentifiedNode[] =>
    nodes.map(({ label, idProperty, id }, index) => {
      return { label, idProperty, id, parameter: parameters[index] as string }
    })
  switch (it.kind) {
    case 'relationshipUpsert':
      return named(['a_id', 'b_id'], it.ends.start, it.ends.end)
    case 'relationshipCreate':
      return named(['startId', 'endId'], it.start, it.end)
    case 'cleanup':
      return named(['baseId'], it.node)
    case 'nodeDelete':
      return named(['ids'], { ...it.node, id: { wrap: it.ids.wrap, list: false } })
    case 'postback':
      return it.of === 'node' ? named(['id'], it.node) : named(['a_id', 'b_id'], it.ends.start, it.ends.end)
    default:
      return named(['id'], it.node)
  }
}

/** The far ends that a cleanup keeps by their identities; `parameter` holds the list of their ids. */
export const keptEndsOf = (it: Structure): IdentifiedNode[] =>
  it.kind !== 'cleanup'
    ? []
    : it.clauses.flatMap((clause, index) => (clause.by === 'farEnd' ? [{ ...clause, parameter: `ids_${index}` }] : []))
