import { quote } from '../../../cypher/identifiers.ts'
import { join, param, type Template, template } from '../../../cypher/parameters.ts'
import { applied, type Wrap } from '../../../cypher/values.ts'
import type { RelationshipType } from '../../request/relationship-types.ts'
import { type Anchor, anchorPattern, type Expression, type Statement } from './statement.ts'

/** The relationships to keep at a node, by far end or by own id; all ids of a clause need the same expression. */
export type KeepClause =
  | { by: 'farEnd'; direction: 'out' | 'in'; label: string; idProperty: string; id: Expression }
  | { by: 'relationshipId'; field: string; id: Expression }

/** A clause and the distinct ids to keep, as JSON. */
export interface KeepList {
  clause: KeepClause
  ids: Set<string>
}

/** The ids of the clause at this position of those that the statement was made from. */
export interface ClauseSource {
  clause: number
}

/**
 * Deletes the relationships of one type at one node that no list matches; without lists, all of them.
 * Seed, Stale-relationship cleanup; contract 5, several keep-clauses.
 */
export function cleanup(
  node: Anchor,
  type: RelationshipType,
  clauses: readonly KeepClause[],
): Statement<'id' | ClauseSource> {
  const lists = namedLists(clauses)
  return {
    kind: 'cleanup',
    text: template`${staleRelationships(node, type, clauses)} DELETE r`,
    bindings: [{ name: 'baseId', source: 'id' }, ...lists.map(({ name }, clause) => ({ name, source: { clause } }))],
  }
}

/** Finds as `r` what a cleanup deletes. */
export function staleRelationships(
  node: Anchor,
  { type, direction }: RelationshipType,
  clauses: readonly KeepClause[],
): Template {
  const lists = namedLists(clauses)
  const bound = lists.flatMap(({ clause: { id }, name }) => (id.wrap === null ? [] : [boundList(id, name)]))
  const [left, right] = [direction === 'in' ? '<-' : '-', direction === 'out' ? '->' : '-']
  const far = clauses.some(({ by }) => by === 'farEnd') ? '(m)' : '()'
  const pattern = template`MATCH ${anchorPattern('n', node, 'baseId')}${left}[r:${quote(type)}]${right}${far}`
  return [
    ...(bound.length === 0 ? [] : template`WITH ${join(bound, ', ')} `),
    ...pattern,
    ...(clauses.length === 0 ? [] : template` WHERE NOT ${keep(lists, direction === 'both')}`),
  ]
}

const namedLists = (clauses: readonly KeepClause[]) =>
  clauses.map((clause, index) => ({ clause, name: `ids_${index}` }))

/** A list that needs an expression is bound once, not per row. */
function boundList({ wrap, list }: Expression, name: string): Template {
  const element = list ? template`[y IN x | ${applied(wrap as Wrap, 'y')}]` : applied(wrap as Wrap, 'x')
  return template`[x IN ${param(name)} | ${element}] AS ${name}`
}

function keep(lists: readonly { clause: KeepClause; name: string }[], isUndirected: boolean): Template {
  const kept = lists.map(({ clause, name }): Template => {
    const values: Template = clause.id.wrap === null ? [param(name)] : [name]
    // coalesce: an absent property yields null, and NOT null would keep the relationship.
    if (clause.by === 'relationshipId') return template`coalesce(r.${quote(clause.field)} IN ${values}, false)`
    const { direction, label, idProperty } = clause
    const end = isUndirected ? `${direction === 'out' ? 'startNode' : 'endNode'}(r) = n AND ` : ''
    return template`${end}coalesce(m:${quote(label)} AND m.${quote(idProperty)} IN ${values}, false)`
  })
  const joined = join(kept, ' OR ')
  const isSimple = kept.length === 1 && !(isUndirected && lists[0]?.clause.by === 'farEnd')
  return isSimple ? joined : template`(${joined})`
}
