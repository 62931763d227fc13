import { columnsOf, newIdentity } from './records.ts'
import { manager, managerVersion } from './resources.ts'
import { type Selector, uniqueScope } from './selector.ts'
import { matchLocked, nodeLabel, partOf, recordLabel, type Statement, selection } from './statements.ts'

const versionScope = uniqueScope(managerVersion)

/** A manager with its first version, which has its name. Contract 10. @returns the manager's row */
export function createManagerStatement(name: string, by: string): Statement {
  const version = { ...newIdentity(managerVersion, by), name, uniqueKey: versionScope + name, number: 1n }
  const properties = { ...newIdentity(manager, by), name, uniqueKey: uniqueScope(manager) + name, versions: 1n }
  return {
    query: `CREATE (n:${recordLabel}:${nodeLabel(manager)})<-[:${partOf}]-(v:${recordLabel}:${nodeLabel(managerVersion)})
SET n = $properties, v = $version
RETURN ${columnsOf(manager, 'n')}`,
    parameters: { properties: { ...properties, lock: true }, version: { ...version, manager: properties.grn } },
  }
}

/** The next version of a manager: no number is given twice. Without a name it is `<manager>-<number>`. @returns its row */
export const createVersionStatement = (of: Selector, name: string | null, by: string): Statement => ({
  query: `${matchLocked(of)}
SET n.versions = n.versions + 1
WITH n, coalesce($name, n.name + '-' + toString(n.versions)) AS name
CREATE (v:${recordLabel}:${nodeLabel(managerVersion)})-[:${partOf}]->(n)
SET v = $properties
SET v.name = name, v.uniqueKey = $scope + name, v.number = n.versions, v.manager = n.grn
RETURN ${columnsOf(managerVersion, 'v')}`,
  parameters: { ...selection(of), name, scope: versionScope, properties: newIdentity(managerVersion, by) },
})
