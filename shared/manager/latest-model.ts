import type { Row } from './database.ts'
import { manager, managerVersion, nodeType, property, propertyImpl } from './resources.ts'
import { byName } from './selector.ts'
import { match, nodeLabel, partOf, type Statement, selection } from './statements.ts'

/** A node type of a model: its key, and the keys of the properties that are implemented on it. */
export interface ModelledType {
  key: string
  properties: string[]
}

/** The latest version of a manager by name. @returns a row a node type and property, with nulls where there is none */
export function latestModelStatement(managerName: string): Statement {
  const selector = byName(manager, managerName)
  const types = `(version)<-[:${partOf}]-(t:${nodeLabel(nodeType)})`
  const properties = `(t)<-[:${partOf}]-(:${nodeLabel(propertyImpl)})-[:${partOf}]->(p:${nodeLabel(property)})`
  return {
    query: `${match(selector)}
MATCH (n)<-[:${partOf}]-(version:${nodeLabel(managerVersion)})
WITH version ORDER BY version.number DESC LIMIT 1
MATCH ${types}
OPTIONAL MATCH ${properties}
RETURN t.key, p.key
ORDER BY t.key, p.key`,
    parameters: selection(selector),
  }
}

export function modelOf(rows: readonly Row[]): ModelledType[] {
  const types = new Map<string, ModelledType>()
  for (const [key, property] of rows as [string, string | null][]) {
    const type = types.get(key) ?? { key, properties: [] }
    types.set(key, type)
    if (property !== null) type.properties.push(property)
  }
  return [...types.values()]
}
