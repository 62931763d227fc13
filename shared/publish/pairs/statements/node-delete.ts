import { quote } from '../../../cypher/identifiers.ts'
import { param, type Template, template } from '../../../cypher/parameters.ts'
import type { Statement } from './statement.ts'

/** Deletes the nodes with the given ids and their relationships. Seed, Node delete by id. */
export function nodeDelete(label: string, idProperty: string): Statement<'ids'> {
  return {
    kind: 'nodeDelete',
    text: template`${nodesToDelete(label, idProperty)} DETACH DELETE n`,
    bindings: [{ name: 'ids', source: 'ids' }],
  }
}

/** Finds as `n` what a node delete deletes. */
export const nodesToDelete = (label: string, idProperty: string): Template =>
  template`MATCH (n:${quote(label)}) WHERE n.${quote(idProperty)} IN ${param('ids')}`
