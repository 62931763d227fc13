import { quote } from '../cypher/identifiers.ts'
import { template } from '../cypher/parameters.ts'
import { aName, aNode } from '../read-back/read-patterns.ts'
import type { KindDefinition } from './kind.ts'
import { anchorPattern, identifiedEnds, type RelationshipEnds, relationshipTopic, type Statement } from './statement.ts'

export interface RelationshipCreate {
  kind: 'relationshipCreate'
  ends: RelationshipEnds
}

export const relationshipCreateKind: KindDefinition<RelationshipCreate> = {
  title: 'relationship create',
  phase: 'relationshipCreates',
  write: ({ ends }) => relationshipCreate(ends),
  identities: ({ ends }) => identifiedEnds(ends, 'startId', 'endId'),

  read(scanner) {
    const [start, end, type] = scanner.read`MATCH ${aNode('a')} MATCH ${aNode('b')} MERGE (a)-[:${aName}]->(b)`
    return { kind: 'relationshipCreate', ends: { start, type, end } }
  },

  check: ({ ends }) => ({
    query: template`${bothOf(ends)} WHERE NOT (a)-[:${quote(ends.type)}]->(b) RETURN at`,
    findings: (_row, subject) => [
      { kind: 'missingRelationship', text: `${subject()} is missing, though both nodes are there` },
    ],
  }),
}

/** Creates a relationship between two existing nodes; creates no node. Seed, Relationship create. */
export function relationshipCreate(ends: RelationshipEnds): Statement<'startId' | 'endId'> {
  return {
    topic: relationshipTopic('relationshipCreate', ends),
    text: template`${bothOf(ends)} MERGE (a)-[:${quote(ends.type)}]->(b)`,
    bindings: [
      { name: 'startId', source: 'startId' },
      { name: 'endId', source: 'endId' },
    ],
  }
}

const bothOf = ({ start, end }: RelationshipEnds) =>
  template`MATCH ${anchorPattern('a', start, 'startId')} MATCH ${anchorPattern('b', end, 'endId')}`
