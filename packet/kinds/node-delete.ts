import { nodeText } from '../check/finding.ts'
import { quote } from '../cypher/identifiers.ts'
import { param, type Template, template } from '../cypher/parameters.ts'
import { aName, requires } from '../read-back/read-patterns.ts'
import { readValue } from '../read-back/read-value.ts'
import { expression } from '../values/values.ts'
import type { KindDefinition } from './kind.ts'
import type { Expression, NodeKey, Statement } from './statement.ts'

export interface NodeDelete {
  kind: 'nodeDelete'
  node: NodeKey
  /** The expression that the list of ids needs. */
  ids: Expression
}

export const nodeDeleteKind: KindDefinition<NodeDelete> = {
  title: 'node delete',
  phase: 'nodeDeletes',
  write: ({ node, ids }) => nodeDelete(node, ids),
  identities: ({ node, ids }) => [{ ...node, id: { wrap: ids.wrap, list: false }, parameter: 'ids' }],

  read(scanner) {
    const [label, idProperty, ids] = scanner.read`MATCH (n:${aName}) WHERE n.${aName} IN ${readValue} DETACH DELETE n`
    requires(ids.wrap === null || ids.list)
    return { kind: 'nodeDelete', node: { label, idProperty }, ids }
  },

  check: ({ node, ids }) => ({
    query: template`${nodesToDelete(node, ids)} RETURN at, n.${quote(node.idProperty)} AS id`,
    findings: ({ id }) => [{ kind: 'undeletedNode', text: `${nodeText(node, id)} is still there` }],
  }),
}

/**
 * Deletes the nodes with the given ids, and their relationships. `ids`: the expression that the list needs.
 * Seed, Node delete by id.
 */
export function nodeDelete(node: NodeKey, ids: Expression): Statement<'ids'> {
  return {
    topic: { kind: 'nodeDelete', label: node.label },
    text: template`${nodesToDelete(node, ids)} DETACH DELETE n`,
    bindings: [{ name: 'ids', source: 'ids' }],
  }
}

/** Finds the nodes that a node delete deletes, as `n`. */
const nodesToDelete = ({ label, idProperty }: NodeKey, ids: Expression): Template =>
  template`MATCH (n:${quote(label)}) WHERE n.${quote(idProperty)} IN ${expression(ids, param('ids'))}`
