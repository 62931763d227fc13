import { quote } from '../../../cypher/identifiers.ts'
import { param, parameterNames, template } from '../../../cypher/parameters.ts'
import { type Anchor, anchorPattern, type Field, propertyMap, type Statement } from './statement.ts'

/** What an upsert changes beside the published properties: keys it leaves alone, labels it adds and removes. */
export interface NodeChanges {
  protectedKeys: readonly string[]
  added: readonly string[]
  removed: readonly string[]
}

/**
 * Merges a node by its identity, replaces its properties, adds and removes labels. Seed, Node upsert; contract 5.
 * Values: the id, then one per field. `fields` are ordered and the id property is one of them.
 */
export function nodeUpsert(node: Anchor, fields: readonly Field[], changes: NodeChanges): Statement {
  const others = fields.map(({ key }) => key).filter((key) => key !== 'id' || node.idProperty !== 'id')
  const otherNames = parameterNames(others, ['id'])
  const nameOf = new Map(others.map((key, index) => [key, otherNames[index]]))
  const names = fields.map(({ key }) => nameOf.get(key) ?? 'id')
  const map = propertyMap('n', fields, names.map(param), changes.protectedKeys)
  const labels = `${labelClause('SET', changes.added)}${labelClause('REMOVE', changes.removed)}`
  return {
    text: template`MERGE ${anchorPattern('n', node, 'id')} SET n = ${map}${labels}`,
    names: ['id', ...names.map((name) => (name === 'id' ? null : name))],
  }
}

const labelClause = (verb: 'SET' | 'REMOVE', labels: readonly string[]) =>
  labels.length === 0 ? '' : ` ${verb} n${labels.map((label) => `:${quote(label)}`).join('')}`
