import { quote } from '../../../cypher/identifiers.ts'
import { param, template } from '../../../cypher/parameters.ts'
import type { Statement } from './statement.ts'

/** Deletes the nodes with the given ids and their relationships. Seed, Node delete by id. */
export function nodeDelete(label: string, idProperty: string): Statement<'ids'> {
  const found = template`MATCH (n:${quote(label)}) WHERE n.${quote(idProperty)} IN ${param('ids')}`
  return {
    kind: 'nodeDelete',
    text: template`${found} DETACH DELETE n`,
    bindings: [{ name: 'ids', source: 'ids' }],
  }
}
