import { optional, read, withValues } from '../check/check.ts'
import { expectationOf } from '../check/expectation.ts'
import { propertyFindings } from '../check/finding.ts'
import { quote } from '../cypher/identifiers.ts'
import { type Template, template } from '../cypher/parameters.ts'
import { aMap, aNode, requires } from '../read-back/read-patterns.ts'
import type { Scanner } from '../read-back/scanner.ts'
import type { KindDefinition } from './kind.ts'
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

export interface NodeUpsert {
  kind: 'nodeUpsert'
  node: Anchor
  fields: readonly Field[]
  changes: NodeChanges
}

/** What an upsert does besides publishing properties: keys that it leaves alone, labels that it adds and removes. */
export interface NodeChanges {
  protectedKeys: readonly string[]
  added: readonly string[]
  removed: readonly string[]
}

export const nodeUpsertKind: KindDefinition<NodeUpsert> = {
  title: 'node upsert',
  phase: 'elements',
  write: ({ node, fields, changes }) => nodeUpsert(node, fields, changes),
  identities: ({ node }) => [{ ...node, parameter: 'id' }],

  read(scanner) {
    const [node, { fields, protectedKeys }] = scanner.read`MERGE ${aNode('n')} SET n = ${aMap('n')}`
    const added = scanner.takes(' SET n') ? readLabels(scanner) : []
    const removed = scanner.takes(' REMOVE n') ? readLabels(scanner) : []
    const id = fields.find(({ key }) => key === node.idProperty)?.value
    requires(id !== undefined && id.wrap === node.id.wrap && id.list === node.id.list)
    requires(!removed.includes(node.label))
    return { kind: 'nodeUpsert', node, fields, changes: { protectedKeys, added, removed } }
  },

  check({ node, fields, changes }) {
    const { shared, others } = nodeFields(node, fields)
    const expectation = expectationOf([...shared, ...others])
    const found = template`${optional('n', node, 'id')} ${read('n')} ${withValues('n')}, labels(n) AS labels`
    return {
      query: template`${found} RETURN at, labels, actual, ${expectation.columns}`,
      values: expectation.values,
      findings(row, subjectOf, parameters, earlier) {
        const [{ actual }, subject] = [row, subjectOf()]
        if (actual === null) return [{ kind: 'missingNode', text: `${subject} is missing` }]
        const labels = new Set(row.labels)
        const lacking = changes.added.filter((label) => !labels.has(label))
        const kept = changes.removed.filter((label) => labels.has(label))
        const { expected, equal } = expectation.of(row, parameters)
        return [
          ...(earlier === 1 ? [{ kind: 'duplicateNode' as const, text: `${subject} is there more than once` }] : []),
          ...lacking.map((label) => ({ kind: 'labelDiffers' as const, text: `${subject} lacks the label :${label}` })),
          ...kept.map((label) => ({ kind: 'labelDiffers' as const, text: `${subject} still has the label :${label}` })),
          ...propertyFindings(subject, actual, expected, equal, changes.protectedKeys),
        ]
      },
    }
  },
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
    topic: { kind: 'nodeUpsert', label: node.label },
    text: template`MERGE ${anchorPattern('n', node, 'id')} SET n = ${map}${labels}`,
    bindings: [{ name: 'id', source: 'id' }, ...propertyBindings(others)],
  }
}

/** Removes from the node, if it is there, all properties that the upsert sets or removes, but not its id. */
export const clearedNode = ({ node, changes }: NodeUpsert): Template =>
  template`MATCH ${anchorPattern('n', node, 'id')} SET n = ${propertyMap('n', [], [node.idProperty, ...changes.protectedKeys])}`

/** The fields with their parameters. `shared` has the id property if it shares its parameter with the identity. */
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

function readLabels(scanner: Scanner): string[] {
  const labels: string[] = []
  while (scanner.takes(':')) labels.push(scanner.name())
  return labels
}
