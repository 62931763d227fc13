import { quote } from '../cypher/identifiers.ts'
import { join, param, type Template, template } from '../cypher/parameters.ts'
import { elementExpression, type Wrap } from '../values/values.ts'
import type { Expression, NodeKey } from './statement.ts'

/** As seen from the node: out of it, into it, or both. */
export type Direction = 'out' | 'in' | 'both'

/** A far end, and the direction in which relationships lead to it. */
interface FarEnd extends NodeKey {
  direction: 'out' | 'in'
  id: Expression
}

/**
 * The relationships to keep at a node: by far end, by own id, or by both, with a list of pairs `[far id, own id]`. All
 * ids of a clause need the same expression.
 */
export type KeepClause =
  | ({ by: 'farEnd' } & FarEnd)
  | { by: 'relationshipId'; field: string; id: Expression }
  | ({ by: 'farEndAndId'; field: string; relationshipId: Expression } & FarEnd)

/** A clause and the distinct ids, or pairs of ids, to keep, as JSON. */
export interface KeepList {
  clause: KeepClause
  ids: Set<string>
}

export const hasFarEnd = (clause: KeepClause): clause is Exclude<KeepClause, { by: 'relationshipId' }> =>
  clause.by !== 'relationshipId'

/** Identifies a clause, and orders the clauses of a statement. "0" is outgoing, "1" incoming. Contract 5. */
export function clauseKey(clause: KeepClause): string[] {
  const expressions = expressionsOf(clause).flatMap(({ wrap, list }) => [wrap ?? '', list ? '*' : ''])
  if (!hasFarEnd(clause)) return [clause.field, ...expressions]
  const { direction, label, idProperty } = clause
  const field = clause.by === 'farEndAndId' ? [clause.field] : []
  return [direction === 'out' ? '0' : '1', label, idProperty, ...expressions, ...field]
}

/** The expressions of the ids in a clause's list, in the order of a pair. */
const expressionsOf = (clause: KeepClause): readonly [Expression, ...Expression[]] =>
  clause.by === 'farEndAndId' ? [clause.id, clause.relationshipId] : [clause.id]

export const listName = (index: number): string => `ids_${index}`

/**
 * How a clause looks for ids in its list: by `IN`, by `any(x IN … WHERE x = …)`, or by comparing each part of an id,
 * `any(x IN … WHERE x[0] = …)`.
 */
export type Comparison = 'in' | 'equal' | 'parts'

/**
 * Neo4j looks for a value of `IN` by its hash. In 3.4 to 2026 a stored list of these types has another hash than an equal
 * list in a parameter, in 3.4 a list of strings, too. Neo4j 4 and later turn `x = …` into `IN`, but not `x[0] = …`.
 */
const hashedOtherwise: ReadonlySet<Wrap | null> = new Set<Wrap>([
  ...(['date', 'time', 'localdatetime', 'datetime', 'timeByFields', 'datetimeByFields'] as const),
])

export function comparisonOf(clause: KeepClause): Comparison {
  const lists = expressionsOf(clause).filter(({ list }) => list)
  if (lists.some(({ wrap }) => hashedOtherwise.has(wrap))) return 'parts'
  return lists.some(({ wrap }) => wrap === null) ? 'equal' : 'in'
}

/** `WITH … `: binds the lists whose ids need an expression, each once and not per row. */
export function boundLists(clauses: readonly KeepClause[], compare: (clause: KeepClause) => Comparison): Template {
  const bound = clauses.flatMap((clause, index): Template[] => {
    if (!isBound(clause)) return []
    const [id, own] = expressionsOf(clause)
    const only = elementExpression(id, 'x')
    const alone = compare(clause) === 'parts' ? template`[${only}]` : only
    const element = own ? pairOf(elementExpression(id, 'x[0]'), elementExpression(own, 'x[1]')) : alone
    return [template`[x IN ${param(listName(index))} | ${element}] AS ${listName(index)}`]
  })
  return bound.length === 0 ? [] : template`WITH ${join(bound, ', ')} `
}

const isBound = (clause: KeepClause) => expressionsOf(clause).some(({ wrap }) => wrap !== null)

const pairOf = (one: Template, other: Template) => template`[${one}, ${other}]`

/** ` WHERE NOT …`: selects the relationships that no list keeps. */
export function notKept(
  clauses: readonly KeepClause[],
  isUndirected: boolean,
  compare: (clause: KeepClause) => Comparison,
): Template {
  if (clauses.length === 0) return []
  const kept = clauses.map((clause, index): Template => {
    const list: Template = [isBound(clause) ? listName(index) : param(listName(index))]
    const end =
      hasFarEnd(clause) && isUndirected ? `${clause.direction === 'out' ? 'startNode' : 'endNode'}(r) = n AND ` : ''
    const label = hasFarEnd(clause) ? `m:${quote(clause.label)} AND ` : ''
    // coalesce: an absent property yields null, and NOT null would keep the relationship.
    return template`${end}coalesce(${label}${isIn(clause, list, compare(clause))}, false)`
  })
  const isSimple = clauses.length === 1 && !(isUndirected && clauses.every(hasFarEnd))
  return isSimple ? template` WHERE NOT ${join(kept, ' OR ')}` : template` WHERE NOT (${join(kept, ' OR ')})`
}

function isIn(clause: KeepClause, list: Template, comparison: Comparison): Template {
  const own = clause.by === 'farEnd' ? [] : [`r.${quote(clause.field)}`]
  const values = hasFarEnd(clause) ? [`m.${quote(clause.idProperty)}`, ...own] : own
  const value = values.length === 1 ? values.join() : `[${values.join(', ')}]`
  switch (comparison) {
    case 'in':
      return template`${value} IN ${list}`
    case 'equal':
      return template`any(x IN ${list} WHERE x = ${value})`
    case 'parts':
      return template`any(x IN ${list} WHERE ${values.map((part, at) => `x[${at}] = ${part}`).join(' AND ')})`
  }
}
