import { quote } from '../cypher/identifiers.ts'
import { type Template, template } from '../cypher/parameters.ts'
import { readBoundLists, readKeepClauses } from '../read-back/read-keep-clauses.ts'
import { aName, aNode } from '../read-back/read-patterns.ts'
import {
  boundLists,
  comparisonOf,
  type Direction,
  hasFarEnd,
  type KeepClause,
  listName,
  notKept,
} from './keep-clauses.ts'
import type { KindDefinition } from './kind.ts'
import { type Anchor, anchorPattern, type Statement } from './statement.ts'

export interface Cleanup {
  kind: 'cleanup'
  node: Anchor
  type: RelationshipType
  clauses: readonly KeepClause[]
}

export interface RelationshipType {
  type: string
  direction: Direction
}

export const cleanupKind: KindDefinition<Cleanup> = {
  title: 'cleanup',
  phase: 'cleanups',
  write: ({ node, type, clauses }) => cleanup(node, type, clauses),
  formerText: ({ node, type, clauses }) => template`${staleRelationships(node, type, clauses, () => 'in')} DELETE r`,
  identities: ({ node }) => [{ ...node, parameter: 'baseId' }],

  read(scanner) {
    const bound = readBoundLists(scanner)
    const [node] = scanner.read`MATCH ${aNode('n')}`
    const isIn = scanner.takes('<')
    const [type] = scanner.read`-[r:${aName}]-`
    const direction: Direction = isIn ? 'in' : scanner.takes('>') ? 'out' : 'both'
    if (!scanner.takes('(m)')) scanner.expect('()')
    const clauses = readKeepClauses(scanner, direction, bound)
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

/** The list of a clause, by the clause's position among those that the statement was made from. */
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
  return {
    topic: { kind: 'cleanup', label: node.label, type: type.type },
    text: template`${staleRelationships(node, type, clauses)} DELETE r`,
    bindings: [
      { name: 'baseId', source: 'id' },
      ...clauses.map((_, clause) => ({ name: listName(clause), source: { clause } })),
    ],
  }
}

/** Finds the relationships that a cleanup deletes, as `r`. */
export function staleRelationships(
  node: Anchor,
  { type, direction }: RelationshipType,
  clauses: readonly KeepClause[],
  compare = comparisonOf,
): Template {
  const [left, right] = [direction === 'in' ? '<-' : '-', direction === 'out' ? '->' : '-']
  const far = clauses.some(hasFarEnd) ? '(m)' : '()'
  const pattern = template`MATCH ${anchorPattern('n', node, 'baseId')}${left}[r:${quote(type)}]${right}${far}`
  return [...boundLists(clauses, compare), ...pattern, ...notKept(clauses, direction === 'both', compare)]
}
