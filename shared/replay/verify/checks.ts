import { asStored } from '../../cypher/as-stored.ts'
import { quote } from '../../cypher/identifiers.ts'
import { join, param, type Template, template } from '../../cypher/parameters.ts'
import { expression } from '../../cypher/values.ts'
import { staleRelationships } from '../../publish/pairs/statements/cleanup.ts'
import { nodesToDelete } from '../../publish/pairs/statements/node-delete.ts'
import { nodeFields } from '../../publish/pairs/statements/node-upsert.ts'
import { postbackNode, postbackRelationship } from '../../publish/pairs/statements/postback.ts'
import { idPattern, type RelationshipEnds } from '../../publish/pairs/statements/relationship-upsert.ts'
import {
  type Anchor,
  anchorPattern,
  type NamedField,
  named,
  propertyMap,
} from '../../publish/pairs/statements/statement.ts'
import type { Structure } from '../statements/structure.ts'
import { type Finding, nodeText, type Properties, propertyFindings, subjectOf } from './finding.ts'

/** What is read for each pair of a batch, and what it says. */
export interface Check {
  /** For `overNumberedRows`. Returns `at` and the columns that `findings` takes; perhaps no row for a pair. */
  query: Template
  /** `earlier` is how many rows have come for the same pair before. */
  findings(row: Row, parameters: Properties, earlier: number): Finding[]
}

/** A row of a check; a column that its query does not return is absent. */
export interface Row {
  actual: Properties | null
  expected: Properties
  equal: Record<string, boolean>
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
  return {
    query: template`${found} RETURN at, labels(n) AS labels, ${properties('n', [...shared, ...others])}`,
    findings({ actual, expected, equal, labels }, parameters, earlier) {
      const subject = subjectOf(it, parameters)
      if (actual === null) return [{ kind: 'missingNode', text: `${subject} is missing` }]
      const lacking = changes.added.filter((label) => !labels.includes(label))
      const kept = changes.removed.filter((label) => labels.includes(label))
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
  return {
    query: template`${relationshipBetween(it.ends, id)} RETURN at, ${properties('r', fields)}`,
    findings({ actual, expected, equal }, parameters) {
      const subject = subjectOf(it, parameters)
      if (actual === null) return [{ kind: 'missingRelationship', text: `${subject} is missing` }]
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
  const left = propertyMap('n', [], it.keys)
  return {
    query: template`MATCH ${anchorPattern('n', it.node, 'id')} RETURN at, ${left} AS actual`,
    findings: ({ actual }, parameters) => propertyFindings(subjectOf(it, parameters), withoutNulls(actual), {}, {}, []),
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
  const fields = [{ ...it.stamp, name }]
  const stamped = propertyMap(variable, [], [it.stamp.key])
  return {
    query: template`${found} WHERE ${variable} IS NOT NULL RETURN at, ${stamped} AS actual, ${comparison(variable, fields)}`,
    findings: ({ actual, expected, equal }, parameters) =>
      propertyFindings(subjectOf(it, parameters), withoutNulls(actual), expected, equal, []),
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

const properties = (variable: string, fields: readonly NamedField[]): Template =>
  template`properties(${variable}) AS actual, ${comparison(variable, fields)}`

/** What the fields must be, as the server evaluates it, and which of the zoned datetimes it finds to be the same. */
function comparison(variable: string, fields: readonly NamedField[]): Template {
  const zoned = fields.filter(({ value }) => value.wrap === 'datetime' || value.wrap === 'datetimeByFields')
  const equal = zoned.map(({ key, value, name }) => {
    const [actual, expected] = [`${variable}.${quote(key)}`, expression(value, param(name))]
    const instant = (it: string | Template) =>
      value.list ? template`[x IN ${it} | x.epochSeconds]` : template`(${it}).epochSeconds`
    // To `=`, both instants of an hour that is repeated are one.
    const isSame = template`CASE WHEN ${actual} = ${expected} THEN ${instant(actual)} = ${instant(expected)} ELSE false END`
    return template`${quote(key)}: ${isSame}`
  })
  return template`${propertyMap(variable, fields, [])} AS expected, {${join(equal, ', ')}} AS equal`
}

const withoutNulls = (map: Properties | null): Properties =>
  Object.fromEntries(Object.entries(map ?? {}).filter(([, value]) => value !== null))
