import { quote } from '../../../cypher/identifiers.ts'
import { type Param, param, type Template, template } from '../../../cypher/parameters.ts'
import type { Statement } from './statement.ts'

/** A kind of node that is found by an indexed property. */
export interface End {
  label: string
  idProperty: string
}

/** Creates a relationship between two existing nodes; creates no node. Seed, Relationship create. */
export function relationshipCreate(start: End, type: string, end: End): Statement<'startId' | 'endId'> {
  const found = template`MATCH ${pattern('a', start, param('startId'))} MATCH ${pattern('b', end, param('endId'))}`
  return {
    kind: 'relationshipCreate',
    text: template`${found} MERGE (a)-[:${quote(type)}]->(b)`,
    bindings: [
      { name: 'startId', source: 'startId' },
      { name: 'endId', source: 'endId' },
    ],
  }
}

const pattern = (variable: string, { label, idProperty }: End, id: Param): Template =>
  template`(${variable}:${quote(label)} {${quote(idProperty)}: ${id}})`
