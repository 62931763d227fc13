import { quote } from '../../cypher/identifiers.ts'
import { param, parameterNames, template } from '../../cypher/parameters.ts'
import { type Anchor, anchorPattern, type Field, propertyMap, type Statement } from './statement.ts'

/**
 * Merges a node by its identity, replaces its properties, adds its labels. Seed, Node upsert; contract 5.
 * Values: the id, then one per field. `fields` are ordered and the id property is one of them.
 */
export function nodeUpsert(node: Anchor, fields: readonly Field[], labels: readonly string[]): Statement {
  const others = fields.map(({ key }) => key).filter((key) => key !== 'id' || node.idProperty !== 'id')
  const otherNames = parameterNames(others, ['id'])
  const names = fields.map(({ key }) => otherNames[others.indexOf(key)] ?? 'id')
  const added = labels.length === 0 ? '' : ` SET n${labels.map((label) => `:${quote(label)}`).join('')}`
  return {
    text: template`MERGE ${anchorPattern('n', node, 'id')} SET n = ${propertyMap(fields, names.map(param))}${added}`,
    names: ['id', ...names.map((name) => (name === 'id' ? null : name))],
  }
}
