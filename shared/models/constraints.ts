import { afterPage, type ModelPage, orderBy, pageSelection } from './pages.ts'
import { columnsOf, newIdentity } from './records.ts'
import { nodeType, property, propertyImpl, type Resource } from './resources.ts'
import { type Selector, uniqueScope } from './selector.ts'
import {
  type Consequence,
  type ModelStatement,
  match,
  nodeLabel,
  partOf,
  recordLabel,
  selection,
} from './statements.ts'

export const constraint: Resource = {
  grnType: 'constraint',
  label: 'Constraint',
  one: 'constraint',
  many: 'constraints',
  noun: 'constraint',
  sortedBy: ['nodeType', 'property', 'type'],
  fields: ['type', 'nodeType', 'property', 'name'],
  alwaysNull: [],
  atCreation: (sent) => sent,
}

/** The constraint type that each flag of a property implementation requires. Contract 10, constraints. */
export const demands = [
  { flag: 'unique', type: 'UNIQUE' },
  { flag: 'required', type: 'EXISTS' },
  { flag: 'indexed', type: 'INDEX' },
]

/** Keeps the constraints of an implementation `n` in sync with its flags, in the transaction that changes them. */
export function constraintsFollow(propertyImplGrn: string, by: string): Consequence {
  const scope = uniqueScope(constraint, propertyImplGrn)
  const kept = demands.map(({ flag, type }) => ({
    flag,
    uniqueKey: scope + type,
    properties: { ...newIdentity(constraint, by), type },
  }))
  return {
    clauses: `WITH n, current
OPTIONAL MATCH (n)<-[:${partOf}]-(old:${nodeLabel(constraint)})
WITH n, current, collect(old) AS had
FOREACH (old IN [old IN had WHERE any(kept IN $kept WHERE kept.uniqueKey = old.uniqueKey AND NOT n[kept.flag])] |
  DETACH DELETE old)
FOREACH (kept IN [kept IN $kept WHERE n[kept.flag]] |
  MERGE (new:${recordLabel} {uniqueKey: kept.uniqueKey})
  ON CREATE SET new:${nodeLabel(constraint)}, new += kept.properties
  MERGE (new)-[:${partOf}]->(n))
`,
    parameters: { kept },
  }
}

const columns = columnsOf(constraint, 'c', {
  nodeType: 't.key',
  property: 'p.key',
  name: "t.key + '_' + p.key + '_' + toLower(c.type)",
})
const sortedBy = ['t.key', 'p.key', 'c.type']
const implementations = `(t)<-[:${partOf}]-(i:${nodeLabel(propertyImpl)})-[:${partOf}]->(p:${nodeLabel(property)})`

/** @returns one row per constraint, like `partsStatement`; keys and the derived name are current */
export const constraintsStatement = (version: Selector): ModelStatement => ({
  query: `${match(version)}
OPTIONAL MATCH (n)<-[:${partOf}]-(t:${nodeLabel(nodeType)}), ${implementations}, (i)<-[:${partOf}]-(c:${nodeLabel(constraint)})
RETURN ${columns}
${orderBy(sortedBy, undefined)}`,
  parameters: selection(version),
})

/**
 * Like `constraintsStatement`, by page. Node types are sorted first, so that the database need not scan all of them.
 * @returns no row also when the version has no constraint
 */
export const constraintsPageStatement = (version: Selector, page: ModelPage): ModelStatement => ({
  query: `${match(version)}
MATCH (n)<-[:${partOf}]-(t:${nodeLabel(nodeType)})${page.after ? '\nWHERE t.key >= $after[0]' : ''}
WITH t ORDER BY t.key
MATCH ${implementations}, (i)<-[:${partOf}]-(c:${nodeLabel(constraint)})${afterPage(sortedBy, page)}
RETURN ${columns}
${orderBy(sortedBy, page)}`,
  parameters: { ...selection(version), ...pageSelection(page) },
})
