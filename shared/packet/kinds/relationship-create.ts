import { subjectText } from '../check/finding.ts'
import { quote } from '../cypher/identifiers.ts'
import { template } from '../cypher/parameters.ts'
import { readAnchor } from '../read-back/read-patterns.ts'
import type { KindDefinition } from './kind.ts'
import type { RelationshipEnds } from './relationship-upsert.ts'
import { anchorPattern, relationshipTopic, type Statement } from './statement.ts'

export interface RelationshipCreate {
  kind: 'relationshipCreate'
  ends: RelationshipEnds
}

export const relationshipCreateKind: KindDefinition<RelationshipCreate> = {
  title: 'relationship create',
  phase: 'relationships',
  write: ({ ends }) => relationshipCreate(ends),
  identities: ({ ends }) => [
    { ...ends.start, parameter: 'startId' },
    { ...ends.end, parameter: 'endId' },
  ],

  read(scanner) {
    scanner.expect('MATCH (a:')
    const start = readAnchor(scanner)
    scanner.expect(' MATCH (b:')
    const end = readAnchor(scanner)
    scanner.expect(' MERGE (a)-[:')
    const type = scanner.name()
    scanner.expect(']->(b)')
    return { kind: 'relationshipCreate', ends: { start, type, end } }
  },

  check(it) {
    const { start, type, end } = it.ends
    const found = template`MATCH ${anchorPattern('a', start, 'startId')} MATCH ${anchorPattern('b', end, 'endId')}`
    return {
      query: template`${found} WHERE NOT (a)-[:${quote(type)}]->(b) RETURN at`,
      findings(_row, parameters) {
        const subject = subjectText(relationshipCreateKind.identities(it), parameters, type)
        return [{ kind: 'missingRelationship', text: `${subject} is missing, though both nodes are there` }]
      },
    }
  },
}

/** Creates a relationship between two existing nodes; creates no node. Seed, Relationship create. */
export function relationshipCreate(ends: RelationshipEnds): Statement<'startId' | 'endId'> {
  const { start, type, end } = ends
  const found = template`MATCH ${anchorPattern('a', start, 'startId')} MATCH ${anchorPattern('b', end, 'endId')}`
  return {
    topic: relationshipTopic('relationshipCreate', ends),
    text: template`${found} MERGE (a)-[:${quote(type)}]->(b)`,
    bindings: [
      { name: 'startId', source: 'startId' },
      { name: 'endId', source: 'endId' },
    ],
  }
}
