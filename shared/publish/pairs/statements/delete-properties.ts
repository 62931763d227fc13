import { quote } from '../../../cypher/identifiers.ts'
import { template } from '../../../cypher/parameters.ts'
import { type Anchor, anchorPattern, type Statement } from './statement.ts'

/** Removes `keys` from one node, if it exists. Seed, `deleteProperties`; contract 4.13. */
export function deleteProperties(node: Anchor, keys: readonly string[]): Statement<'id'> {
  const removals = keys.map((key) => `n.${quote(key)}`).join(', ')
  return {
    kind: 'deleteProperties',
    text: template`MATCH ${anchorPattern('n', node, 'id')} REMOVE ${removals}`,
    bindings: [{ name: 'id', source: 'id' }],
  }
}
