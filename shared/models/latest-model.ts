import type { DatabaseRow } from './database.ts'
import { managerVersion, nodeType, property, propertyImpl } from './resources.ts'
import { byGrn, type Selector, uniqueScope } from './selector.ts'
import { type ModelStatement, match, nodeLabel, partOf, recordLabel, selection } from './statements.ts'

/** A node type of a model: its key, and the keys of the properties implemented on it. */
export interface ModelledType {
  key: string
  properties: string[]
}

/**
 * The latest version of the selected manager that has a node type and is not being imported, so that a new, still empty
 * version does not replace a complete one.
 * @returns one row per node type, in order of creation: the version's grn and the node type's key
 */
export function latestModelStatement(selector: Selector): ModelStatement {
  return {
    query: `${match(selector)}
MATCH (n)<-[:${partOf}]-(version:${nodeLabel(managerVersion)})
WHERE version.importing IS NULL AND (version)<-[:${partOf}]-(:${nodeLabel(nodeType)})
WITH version ORDER BY version.number DESC LIMIT 1
MATCH (version)<-[:${partOf}]-(t:${nodeLabel(nodeType)})
RETURN version.grn, t.key
ORDER BY t.createdAt, t.id`,
    parameters: selection(selector),
  }
}

/** @returns one row: whether the version is being imported, or copied */
export const importingStatement = (version: Selector): ModelStatement => ({
  query: `${match(version)}
RETURN n.importing IS NOT NULL`,
  parameters: selection(version),
})

/** @returns one row per node type of a version with one of these keys: its key, and its properties' keys */
export function modelledTypesStatement(versionGrn: string, keys: readonly string[]): ModelStatement {
  const version = byGrn(managerVersion, versionGrn)
  return {
    query: `${match(version)}
UNWIND $keys AS key
MATCH (t:${recordLabel} {uniqueKey: $scope + key})
OPTIONAL MATCH (t)<-[:${partOf}]-(:${nodeLabel(propertyImpl)})-[:${partOf}]->(p:${nodeLabel(property)})
WITH t, p.key AS property ORDER BY property
RETURN t.key, collect(property)`,
    parameters: { ...selection(version), keys, scope: uniqueScope(nodeType, versionGrn) },
  }
}

/** Returns the types in the order of `keys`. */
export function modelledTypesOf(rows: readonly DatabaseRow[], keys: readonly string[]): ModelledType[] {
  const properties = new Map(rows as [string, string[]][])
  return keys.flatMap((key) => (properties.has(key) ? [{ key, properties: properties.get(key) as string[] }] : []))
}
