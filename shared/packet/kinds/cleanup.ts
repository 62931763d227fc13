import { quote } from '../cypher/identifiers.ts'
import { join, param, type Template, template } from '../cypher/parameters.ts'
import { aName, aNode } from '../read-back/read-patterns.ts'
import { readBoundList } from '../read-back/read-value.ts'
import { mismatch, type Scanner } from '../read-back/scanner.ts'
import { applied, type Wrap } from '../values/values.ts'
import type { KindDefinition } from './kind.ts'
import { type Anchor, anchorPattern, type Expression, type Statement } from './statement.ts'

export interface Cleanup {
  kind: 'cleanup'
  node: Anchor
  type: RelationshipType
  clauses: readonly KeepClause[]
}

/** As seen from the node: out of it, into it, or both. */
export type Direction = 'out' | 'in' | 'both'

export interface RelationshipType {
  type: string
  direction: Direction
}

export const cleanupKind: KindDefinition<Cleanup> = {
  title: 'cleanup',
  phase: 'cleanups',
  write: ({ node, type, clauses }) => cleanup(node, type, clauses),
  identities: ({ node }) => [{ ...node, parameter: 'baseId' }],

  read(scanner) {
    const bound = scanner.takes('WITH ') ? readBoundLists(scanner) : new Map<string, Expression>()
    const [node] = scanner.read`MATCH ${aNode('n')}`
    const isIn = scanner.takes('<')
    const [type] = scanner.read`-[r:${aName}]-`
    const direction: Direction = isIn ? 'in' : scanner.takes('>') ? 'out' : 'both'
    if (!scanner.takes('(m)')) scanner.expect('()')
    const clauses = readClauses(scanner, direction, bound)
    scanner.expect(' DELETE r')
    return { kind: 'cleanup', node, type: { type, direction }, clauses }
  },

  check: (it) => ({
    query: template`${staleRelationships(it.node, it.type, it.clauses)} RETURN at, count(r) AS count`,
    findings({ count }, subject) {
      const stale = count === 1n ? 'relationship' : 'relationships'
      const text = `${subject()} has ${count} stale ${stale} :${it.type.type}`
      return [{ kind: 'staleRelationship', text }]
    },
  }),
}

/** The relationships to keep at a node, by far end or by own id; all ids of a clause need the same expression. */
export type KeepClause =
  | { by: 'farEnd'; direction: 'out' | 'in'; label: string; idProperty: string; id: Expression }
  | { by: 'relationshipId'; field: string; id: Expression }

/** A clause and the distinct ids to keep, as JSON. */
export interface KeepList {
  clause: KeepClause
  ids: Set<string>
}

/** The ids of a clause, by its position among the clauses that the statement was made from. */
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
    topic: { kind: 'cleanup', label: node.label, type: type.type },
    text: template`${staleRelationships(node, type, clauses)} DELETE r`,
    bindings: [{ name: 'baseId', source: 'id' }, ...lists.map(({ name }, clause) => ({ name, source: { clause } }))],
  }
}

/** Finds the relationships that a cleanup deletes, as `r`. */
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

/** Binds a list that needs an expression once, not per row. */
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

/** The lists of ids that the statement binds first, by name. */
function readBoundLists(scanner: Scanner): ReadonlyMap<string, Expression> {
  const bound = new Map<string, Expression>()
  do {
    const expression = readBoundList(scanner)
    scanner.expect(' AS ')
    bound.set(listName(scanner), expression)
  } while (scanner.takes(', '))
  scanner.expect(' ')
  return bound
}

/** The clauses after the pattern, each with the expression of its list. */
function readClauses(scanner: Scanner, direction: Direction, bound: ReadonlyMap<string, Expression>): KeepClause[] {
  const clauses: KeepClause[] = []
  if (!scanner.takes(' WHERE NOT ')) return clauses
  const isEnclosed = scanner.takes('(')
  do clauses.push(readClause(scanner, direction, bound))
  while (scanner.takes(' OR '))
  if (isEnclosed) scanner.expect(')')
  return clauses
}

function readClause(scanner: Scanner, direction: Direction, bound: ReadonlyMap<string, Expression>): KeepClause {
  const isOut = scanner.takes('startNode(r) = n AND ')
  const end = isOut ? 'out' : scanner.takes('endNode(r) = n AND ') ? 'in' : direction
  if (scanner.takes('coalesce(r.')) {
    return { by: 'relationshipId', field: scanner.name(), id: readKeptIds(scanner, bound) }
  }
  const [label, idProperty] = scanner.read`coalesce(m:${aName} AND m.${aName}`
  const id = readKeptIds(scanner, bound)
  return { by: 'farEnd', direction: end === 'in' ? 'in' : 'out', label, idProperty, id }
}

function readKeptIds(scanner: Scanner, bound: ReadonlyMap<string, Expression>): Expression {
  scanner.expect(' IN ')
  const id = scanner.takesTemplate(anyParameter) ? plain : bound.get(listName(scanner))
  scanner.expect(', false)')
  if (id === undefined) throw mismatch
  return id
}

const anyParameter = [{ name: 'any' }]
const plain: Expression = { wrap: null, list: false }

/** The name of a list, without the backticks of an identifier. */
function listName(scanner: Scanner): string {
  scanner.expect('ids_')
  return scanner.digits()
}
