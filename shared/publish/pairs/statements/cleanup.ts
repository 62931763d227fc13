import { quote } from '../../../cypher/identifiers.ts'
import { join, param, type Template, template } from '../../../cypher/parameters.ts'
import { applied, type Wrap } from '../../../cypher/values.ts'
import type { RelationshipType } from '../../request/relationship-types.ts'
import { type Anchor, anchorPattern, type Expression, type Statement } from './statement.ts'

/** What is kept of the relationships at a node: those to far ends, or those with ids; their values need one expression. */
export type KeepClause =
  | { by: 'farEnd'; direction: 'out' | 'in'; label: string; idProperty: string; id: Expression }
  | { by: 'relationshipId'; field: string; id: Expression }

/** What to keep of one kind: the ids as JSON, each once. */
export interface KeepList {
  clause: KeepClause
  ids: Set<string>
}

/**
 * Deletes the relationships of one type at one node that are in none of the lists; all of them without a list. Seed,
 * Stale-relationship cleanup; contract 5, several keep-clauses. Values: the node's id, then one list per clause.
 */
export function cleanup(
  node: Anchor,
  { type, direction }: RelationshipType,
  clauses: readonly KeepClause[],
): Statement {
  const names = clauses.map((_, index) => `ids_${index}`)
  const bound = clauses.flatMap(({ id }, index) => (id.wrap === null ? [] : [boundList(id, names[index] as string)]))
  const [left, right] = [direction === 'in' ? '<-' : '-', direction === 'out' ? '->' : '-']
  const far = clauses.some(({ by }) => by === 'farEnd') ? '(m)' : '()'
  const pattern = template`MATCH ${anchorPattern('n', node, 'baseId')}${left}[r:${quote(type)}]${right}${far}`
  return {
    text: [
      ...(bound.length === 0 ? [] : template`WITH ${join(bound, ', ')} `),
      ...pattern,
      ...(clauses.length === 0 ? [] : template` WHERE NOT ${keep(clauses, names, direction === 'both')}`),
      ' DELETE r',
    ],
    names: ['baseId', ...names],
  }
}

/** A list that needs an expression is bound once, not for every row. */
function boundList({ wrap, list }: Expression, name: string): Template {
  const element = list ? template`[y IN x | ${applied(wrap as Wrap, 'y')}]` : applied(wrap as Wrap, 'x')
  return template`[x IN ${param(name)} | ${element}] AS ${name}`
}

function keep(clauses: readonly KeepClause[], names: readonly string[], isUndirected: boolean): Template {
  const kept = clauses.map((clause, index): Template => {
    const name = names[index] as string
    const values: Template = clause.id.wrap === null ? [param(name)] : [name]
    // coalesce: what lacks the property gives null, and NOT null would keep it.
    if (clause.by === 'relationshipId') return template`coalesce(r.${quote(clause.field)} IN ${values}, false)`
    const { direction, label, idProperty } = clause
    const end = isUndirected ? `${direction === 'out' ? 'startNode' : 'endNode'}(r) = n AND ` : ''
    return template`${end}coalesce(m:${quote(label)} AND m.${quote(idProperty)} IN ${values}, false)`
  })
  const joined = join(kept, ' OR ')
  const isSimple = kept.length === 1 && !(isUndirected && clauses[0]?.by === 'farEnd')
  return isSimple ? joined : template`(${joined})`
}
