import { only } from '../check/check.ts'
import { propertyFindings } from '../check/finding.ts'
import { quote } from '../cypher/identifiers.ts'
import { template } from '../cypher/parameters.ts'
import { aName, aNode, requires } from '../read-back/read-patterns.ts'
import type { KindDefinition } from './kind.ts'
import { type Anchor, anchorPattern, type Statement } from './statement.ts'

export interface DeleteProperties {
  kind: 'deleteProperties'
  node: Anchor
  keys: readonly string[]
}

export const deletePropertiesKind: KindDefinition<DeleteProperties> = {
  title: 'property delete',
  phase: 'elements',
  write: ({ node, keys }) => deleteProperties(node, keys),
  identities: ({ node }) => [{ ...node, parameter: 'id' }],

  read(scanner) {
    const [node, ...keys] = scanner.read`MATCH ${aNode('n')} REMOVE n.${aName}`
    while (scanner.takes(', n.')) keys.push(scanner.name())
    requires(!keys.includes(node.idProperty))
    return { kind: 'deleteProperties', node, keys }
  },

  check: (it) => ({
    query: template`MATCH ${anchorPattern('n', it.node, 'id')} RETURN at, properties(n) AS actual`,
    findings: ({ actual }, subject) => propertyFindings(subject(), only(actual, it.keys), {}, {}, []),
  }),
}

/** Removes `keys` from one node, if it exists. Seed, `deleteProperties`; contract 4.13. */
export function deleteProperties(node: Anchor, keys: readonly string[]): Statement<'id'> {
  const removals = keys.map((key) => `n.${quote(key)}`).join(', ')
  return {
    topic: { kind: 'deleteProperties', label: node.label },
    text: template`MATCH ${anchorPattern('n', node, 'id')} REMOVE ${removals}`,
    bindings: [{ name: 'id', source: 'id' }],
  }
}
