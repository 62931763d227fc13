import { quote } from '../../../cypher/identifiers.ts'
import { template } from '../../../cypher/parameters.ts'
import {
  type Anchor,
  anchorPattern,
  type Field,
  type NamedField,
  named,
  type PropertySource,
  propertyBindings,
  propertyMap,
  type Statement,
} from './statement.ts'

/** What an upsert changes beside the published properties: keys it leaves alone, labels it adds and removes. */
export interface NodeChanges {
  protectedKeys: readonly string[]
  added: readonly string[]
  removed: readonly string[]
}

/**
 * Merges a node by its identity, replaces its properties, adds and removes labels. Seed, Node upsert; contract 5.
 * `fields` are ordered and the id property is one of them; if it is named `id`, both share one parameter.
 */
export function nodeUpsert(
  node: Anchor,
  fields: readonly Field[],
  changes: NodeChanges,
): Statement<'id' | PropertySource> {
  const { shared, others } = nodeFields(node, fields)
  const map = propertyMap('n', [...shared, ...others], changes.protectedKeys)
  const labels = `${labelClause('SET', changes.added)}${labelClause('REMOVE', changes.removed)}`
  return {
    kind: 'nodeUpsert',
    text: template`MERGE ${anchorPattern('n', node, 'id')} SET n = ${map}${labels}`,
    bindings: [{ name: 'id', source: 'id' }, ...propertyBindings(others)],
  }
}

/** The fields with their parameters; `shared` has the id property where its parameter is that of the identity. */
export function nodeFields(node: Anchor, fields: readonly Field[]): { shared: NamedField[]; others: NamedField[] } {
  const isShared = ({ key }: Field) => key === 'id' && node.idProperty === 'id'
  const shared = fields.filter(isShared).map((field) => ({ ...field, name: 'id' }))
  const others = named(
    fields.filter((field) => !isShared(field)),
    ['id'],
  )
  return { shared, others }
}

const labelClause = (verb: 'SET' | 'REMOVE', labels: readonly string[]) =>
  labels.length === 0 ? '' : ` ${verb} n${labels.map((label) => `:${quote(label)}`).join('')}`
