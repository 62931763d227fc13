import { quote } from '../../../cypher/identifiers.ts'
import { param, type Template, template } from '../../../cypher/parameters.ts'
import { expression } from '../../../cypher/values.ts'
import type { End } from './relationship-create.ts'
import type { Expression, Statement } from './statement.ts'

/** Deletes the nodes with the given ids and their relationships; `ids`: what the list needs. Seed, Node delete by id. */
export function nodeDelete(node: End, ids: Expression): Statement<'ids'> {
  return {
    kind: 'nodeDelete',
    text: template`${nodesToDelete(node, ids)} DETACH DELETE n`,
    bindings: [{ name: 'ids', source: 'ids' }],
  }
}

/** Finds as `n` what a node delete deletes. */
export const nodesToDelete = ({ label, idProperty }: End, ids: Expression): Template =>
  template`MATCH (n:${quote(label)}) WHERE n.${quote(idProperty)} IN ${expression(ids, param('ids'))}`
