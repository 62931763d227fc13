import { quote } from '../../../cypher/identifiers.ts'
import { template } from '../../../cypher/parameters.ts'
import { type Anchor, anchorPattern, type Statement } from './statement.ts'

/** A kind of node that is found by an indexed property. */
export type End = Pick<Anchor, 'label' | 'idProperty'>

/** Creates a relationship between two existing nodes; creates no node. Seed, Relationship create. */
export function relationshipCreate(start: Anchor, type: string, end: Anchor): Statement<'startId' | 'endId'> {
  const found = template`MATCH ${anchorPattern('a', start, 'startId')} MATCH ${anchorPattern('b', end, 'endId')}`
  return {
    kind: 'relationshipCreate',
    text: template`${found} MERGE (a)-[:${quote(type)}]->(b)`,
    bindings: [
      { name: 'startId', source: 'startId' },
      { name: 'endId', source: 'endId' },
    ],
  }
}
