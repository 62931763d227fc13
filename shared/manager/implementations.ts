import { columnsOf, type ModelRecord, newIdentity, recordOf, widthOf } from './records.ts'
import { type Fields, managerVersion, property, propertyImpl } from './resources.ts'
import { type Selector, uniqueScope } from './selector.ts'
import { match, matchLocked, nodeLabel, partOf, recordLabel, type Statement, selection } from './statements.ts'

/** A property implemented on a node type of its version: part of both. @returns its row, none where an end is missing */
export function implementStatement(nodeType: Selector, propertyGrn: string, sent: Fields, by: string): Statement {
  const uniqueKey = uniqueScope(propertyImpl, nodeType.value) + propertyGrn
  const version = nodeLabel(managerVersion)
  return {
    query: `${matchLocked(nodeType)}
MATCH (n)-[:${partOf}]->(:${version})<-[:${partOf}]-(p:${recordLabel} {grn: $propertyGrn})
CREATE (n)<-[:${partOf}]-(i:${recordLabel}:${nodeLabel(propertyImpl)})-[:${partOf}]->(p)
SET i = $properties
RETURN ${columnsOf(propertyImpl, 'i')}`,
    parameters: {
      ...selection(nodeType),
      propertyGrn,
      properties: { ...propertyImpl.atCreation(sent), ...newIdentity(propertyImpl, by), uniqueKey },
    },
  }
}

/** Which of these do not exist. */
export const missingStatement = (grns: readonly string[]): Statement => ({
  query: `UNWIND $grns AS grn
OPTIONAL MATCH (n:${recordLabel} {grn: grn})
WITH grn, n WHERE n IS NULL
RETURN grn`,
  parameters: { grns },
})

/** @returns a row a property with its implementation's columns behind its own, otherwise as `partsStatement` */
export const implementedStatement = (nodeType: Selector): Statement => ({
  query: `${match(nodeType)}
OPTIONAL MATCH (n)<-[:${partOf}]-(i:${nodeLabel(propertyImpl)})-[:${partOf}]->(p:${nodeLabel(property)})
RETURN ${columnsOf(property, 'p')}, ${columnsOf(propertyImpl, 'i')}
ORDER BY p.key`,
  parameters: selection(nodeType),
})

/** Additive: the property says how it is implemented. Contract 10. */
export const implementedOf = (row: readonly unknown[]): ModelRecord => ({
  ...recordOf(property, row),
  propertyImpl: recordOf(propertyImpl, row, widthOf(property)),
})
