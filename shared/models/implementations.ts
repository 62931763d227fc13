import { afterPage, type ModelPage, orderBy, pageSelection } from './pages.ts'
import { columnsOf, type ModelRecord, newIdentity, recordOf, widthOf } from './records.ts'
import { managerVersion, nodeType, property, propertyImpl, type ResourceFields } from './resources.ts'
import { type Selector, uniqueScope } from './selector.ts'
import {
  isOfOrgs,
  type ModelStatement,
  match,
  matchLocked,
  nodeLabel,
  partOf,
  recordLabel,
  selection,
} from './statements.ts'

/** Implements a property on a node type of the same version, as a part of both. @returns its row, if both ends exist */
export function implementStatement(
  on: Selector,
  propertyGrn: string,
  sent: ResourceFields,
  by: string,
): ModelStatement {
  const uniqueKey = uniqueScope(propertyImpl, on.value) + propertyGrn
  const version = nodeLabel(managerVersion)
  return {
    query: `${matchLocked(on)}
MATCH (n)-[:${partOf}]->(:${version})<-[:${partOf}]-(p:${recordLabel} {grn: $propertyGrn})
CREATE (n)<-[:${partOf}]-(i:${recordLabel}:${nodeLabel(propertyImpl)})-[:${partOf}]->(p)
SET i = $properties
RETURN ${columnsOf(propertyImpl, 'i')}`,
    parameters: {
      ...selection(on),
      propertyGrn,
      properties: { ...propertyImpl.atCreation(sent), ...newIdentity(propertyImpl, by), uniqueKey },
    },
  }
}

/** Selects the grns that do not exist or belong to none of `orgs`. */
export const missingStatement = (grns: readonly string[], orgs: Selector['orgs']): ModelStatement => ({
  query: `UNWIND $grns AS grn
OPTIONAL MATCH (n:${recordLabel} {grn: grn})${orgs === undefined ? '' : ` WHERE ${isOfOrgs('n')}`}
WITH grn, n WHERE n IS NULL
RETURN grn`,
  parameters: orgs === undefined ? { grns } : { grns, orgs },
})

/** @returns one row per property, its columns followed by its implementation's; otherwise like `partsStatement` */
export const implementedStatement = (of: Selector, page?: ModelPage): ModelStatement => ({
  query: `${match(of)}
OPTIONAL MATCH (n)<-[:${partOf}]-(i:${nodeLabel(propertyImpl)})-[:${partOf}]->(p:${nodeLabel(property)})${afterPage(['p.key'], page)}
RETURN ${columnsOf(property, 'p')}, ${columnsOf(propertyImpl, 'i')}
${orderBy(['p.key'], page)}`,
  parameters: { ...selection(of), ...pageSelection(page) },
})

/** Implementations of a node type or property. @returns one row each, then both ends' keys; like `partsStatement` */
export function implementationsStatement(end: Selector, page?: ModelPage): ModelStatement {
  const isOnType = end.resource === nodeType
  const sortedBy = isOnType ? ['n.key', 'other.key'] : ['other.key', 'n.key']
  return {
    query: `${match(end)}
OPTIONAL MATCH (n)<-[:${partOf}]-(i:${nodeLabel(propertyImpl)})-[:${partOf}]->(other:${nodeLabel(isOnType ? property : nodeType)})${afterPage(sortedBy, page)}
RETURN ${columnsOf(propertyImpl, 'i')}, ${sortedBy.join(', ')}
${orderBy(sortedBy, page)}`,
    parameters: { ...selection(end), ...pageSelection(page) },
  }
}

/** Additive: in lists, an implementation includes the keys of its ends. */
export const implementationOf = (row: readonly unknown[]): ModelRecord => ({
  ...recordOf(propertyImpl, row),
  nodeType: row[widthOf(propertyImpl)],
  property: row[widthOf(propertyImpl) + 1],
})

/** Additive: the property includes its implementation. Contract 10. */
export const implementedOf = (row: readonly unknown[]): ModelRecord => ({
  ...recordOf(property, row),
  propertyImpl: recordOf(propertyImpl, row, widthOf(property)),
})
