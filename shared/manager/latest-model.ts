import type { Row } from './database.ts'
import { manager, managerVersion, nodeType, property, propertyImpl } from './resources.ts'
import { byName } from './selector.ts'
import { match, nodeLabel, partOf, type Statement, selection } from './statements.ts'

/** A node type of a model: its key, and the keys of the properties that are implemented on it. */
export interface ModelledType {
  key: string
  properties: string[]
}

/**
 * The latest version of a manager by name that has a node type and is not being imported: a new version, which is empty
 * first, takes nothing away.
 * @param keys of the node types whose properties are read; null: of all
 * @returns a row a node type, in the order in which they were made
 */
export function latestModelStatement(managerName: string, keys: readonly string[] | null): Statement {
  const selector = byName(manager, managerName)
  const types = `(version)<-[:${partOf}]-(t:${nodeLabel(nodeType)})`
  const properties = `(t)<-[:${partOf}]-(:${nodeLabel(propertyImpl)})-[:${partOf}]->(p:${nodeLabel(property)})`
  return {
    query: `${match(selector)}
MATCH (n)<-[:${partOf}]-(version:${nodeLabel(managerVersion)})
WHERE version.importing IS NULL AND (version)<-[:${partOf}]-(:${nodeLabel(nodeType)})
WITH version ORDER BY version.number DESC LIMIT 1
MATCH ${types}
OPTIONAL MATCH ${keys === null ? properties : `${properties} WHERE t.key IN $keys`}
WITH t, p.key AS key ORDER BY key
WITH t, collect(key) AS keys
RETURN t.key, keys
ORDER BY t.createdAt, t.id`,
    parameters: keys === null ? selection(selector) : { ...selection(selector), keys },
  }
}

export const modelOf = (rows: readonly Row[]): ModelledType[] =>
  (rows as [string, string[]][]).map(([key, properties]) => ({ key, properties }))
