import { asStored } from '../../cypher/as-stored.ts'
import { quote } from '../../cypher/identifiers.ts'
import { join, type Template, template } from '../../cypher/parameters.ts'
import { staleRelationships } from '../../publish/pairs/statements/cleanup.ts'
import { nodesToDelete } from '../../publish/pairs/statements/node-delete.ts'
import { nodeFields } from '../../publish/pairs/statements/node-upsert.ts'
import { postbackNode, postbackRelationship } from '../../publish/pairs/statements/postback.ts'
import { idPattern, type RelationshipEnds } from '../../publish/pairs/statements/relationship-upsert.ts'
import { type Anchor, anchorPattern, type NamedField, named } from '../../publish/pairs/statements/statement.ts'
import type { Structure } from '../statements/structure.ts'
import { type Evaluated, type Expectation, expectationOf } from './expectation.ts'
import { type Finding, nodeText, type Properties, propertyFindings, subjectOf } from './finding.ts'

/** What is read for each pair of a batch, and what it says. */
export interface Check {
  /** For `overNumberedRows`. Returns `at` and the columns that `findings` takes; perhaps no row for a pair. */
  query: Template
  /** What the query takes as `values` for a pair, besides the parameters that it names. */
  values?: Expectation['values']
  /** `earlier` is how many rows have come for the same pair before. */
  findings(row: Row, parameters: Properties, earlier: number): Finding[]
}

/** A row of a check; a column that its query does not return is absent. */
export interface Row extends Evaluated {
  actual: Properties | null
  labels: string[]
  count: bigint
  id: unknown
}

type Of<Kind> = Structure & { kind: Kind }

/** How to find out whether a pair would change anything. */
export function checkOf(it: Structure): Check {
  switch (it.kind) {
    case 'nodeUpsert':
      return ofNodeUpsert(it)
    case 'relationshipUpsert':
      return ofRelationshipUpsert(it)
    case 'relationshipCreate':
      return ofRelationshipCreate(it)
    case 'cleanup':
      return ofCleanup(it)
    case 'deleteProperties':
      return ofDeleteProperties(it)
    case 'nodeDelete':
      return ofNodeDelete(it)
    case 'postback':
      return ofPostback(it)
  }
}

function ofNodeUpsert(it: Of<'nodeUpsert'>): Check {
  const { node, fields, changes } = it
  const { shared, others } = nodeFields(node, fields)
  const found = template`OPTIONAL MATCH ${anchorPattern('n', node, 'id')} ${read('n')}`
  const expectation = expectationOf([...shared, ...others])
  return {
    query: template`${found} ${withValues('n')}, labels(n) AS labels RETURN at, labels, actual, ${expectation.columns}`,
    values: expectation.values,
    findings(row, parameters, earlier) {
      const { actual } = row
      const subject = subjectOf(it, parameters)
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
}

function ofRelationshipUpsert(it: Of<'relationshipUpsert'>): Check {
  const fields = named(it.fields)
  const id = fields.find(({ key }) => key === it.idField) ?? null
  const expectation = expectationOf(fields)
  return {
    query: template`${relationshipBetween(it.ends, id)} ${withValues('r')} RETURN at, actual, ${expectation.columns}`,
    values: expectation.values,
    findings(row, parameters) {
      const { actual } = row
      const subject = subjectOf(it, parameters)
      if (actual === null) return [{ kind: 'missingRelationship', text: `${subject} is missing` }]
      const { expected, equal } = expectation.of(row, parameters)
      return propertyFindings(subject, actual, expected, equal, it.protectedKeys)
    },
  }
}

function ofRelationshipCreate(it: Of<'relationshipCreate'>): Check {
  const start = anchorPattern('a', it.start, 'startId')
  const end = anchorPattern('b', it.end, 'endId')
  return {
    query: template`MATCH ${start} MATCH ${end} WHERE NOT (a)-[:${quote(it.type)}]->(b) RETURN at`,
    findings: (_row, parameters) => [
      { kind: 'missingRelationship', text: `${subjectOf(it, parameters)} is missing, though both nodes are there` },
    ],
  }
}

function ofCleanup(it: Of<'cleanup'>): Check {
  const { type } = it.type
  return {
    query: template`${staleRelationships(it.node, it.type, it.clauses)} RETURN at, count(r) AS count`,
    findings: ({ count }, parameters) => [
      {
        kind: 'staleRelationship',
        text: `${subjectOf(it, parameters)} has ${count} stale ${count === 1n ? 'relationship' : 'relationships'} :${type}`,
      },
    ],
  }
}

function ofDeleteProperties(it: Of<'deleteProperties'>): Check {
  return {
    query: template`MATCH ${anchorPattern('n', it.node, 'id')} RETURN at, properties(n) AS actual`,
    findings: ({ actual }, parameters) =>
      propertyFindings(subjectOf(it, parameters), only(actual, it.keys), {}, {}, []),
  }
}

function ofNodeDelete(it: Of<'nodeDelete'>): Check {
  return {
    query: template`${nodesToDelete(it.node, it.ids)} RETURN at, n.${quote(it.node.idProperty)} AS id`,
    findings: ({ id }) => [{ kind: 'undeletedNode', text: `${nodeText(it.node, id)} is still there` }],
  }
}

function ofPostback(it: Of<'postback'>): Check {
  const [found, variable, name] = it.of === 'node' ? stampedNode(it) : stampedRelationship(it)
  const expectation = expectationOf([{ ...it.stamp, name }])
  const existing = template`${found} WHERE ${variable} IS NOT NULL ${withValues(variable)}`
  return {
    query: template`${existing} RETURN at, actual, ${expectation.columns}`,
    values: expectation.values,
    findings(row, parameters) {
      const { expected, equal } = expectation.of(row, parameters)
      return propertyFindings(subjectOf(it, parameters), only(row.actual, [it.stamp.key]), expected, equal, [])
    },
  }
}

function stampedNode({ node, stamp }: Of<'postback'> & { of: 'node' }): [Template, string, string] {
  const { bindings } = postbackNode(node, stamp)
  return [template`MATCH ${anchorPattern('n', node, 'id')} ${read('n')}`, 'n', nameOf(bindings, 'stamp')]
}

function stampedRelationship(it: Of<'postback'> & { of: 'relationship' }): [Template, string, string] {
  const { bindings } = postbackRelationship(it.ends, it.id, it.stamp)
  const id = it.id && { ...it.id, name: nameOf(bindings, 'relationshipId') }
  return [relationshipBetween(it.ends, id), 'r', nameOf(bindings, 'stamp')]
}

/**
 * Binds `r` to each relationship between two nodes, or to null. Both ends come first, each by a clause of its own: as
 * one pattern, every relationship of a hub would be visited for each row.
 */
function relationshipBetween({ start, type, end }: RelationshipEnds, id: NamedField | null): Template {
  const ends = join([optional('a', start, 'a_id'), optional('b', end, 'b_id')], ' ')
  return template`${ends} OPTIONAL MATCH (a)-[r:${quote(type)}${idPattern(id)}]->(b) ${read('r')}`
}

const nameOf = <S>(bindings: readonly { name: string; source: S }[], source: S): string =>
  bindings.find((binding) => binding.source === source)?.name as string

const read = (variable: string) => `WITH at, row, ${asStored(variable)} AS ${variable}`

const optional = (variable: string, node: Anchor, parameter: string): Template =>
  template`OPTIONAL MATCH ${anchorPattern(variable, node, parameter)}`

const withValues = (variable: string) => `WITH at, $values[at] AS values, properties(${variable}) AS actual`

/** Those of the properties that have one of the keys. */
const only = (actual: Properties | null, keys: readonly string[]): Properties =>
  Object.fromEntries(keys.flatMap((key) => (actual && Object.hasOwn(actual, key) ? [[key, actual[key]]] : [])))
