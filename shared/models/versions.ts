import { afterPage, type ModelPage, orderBy, pageSelection } from './pages.ts'
import { columnsOf, newIdentity } from './records.ts'
import { manager, managerVersion } from './resources.ts'
import { type Selector, uniqueScope } from './selector.ts'
import { type ModelStatement, match, matchLocked, nodeLabel, partOf, recordLabel, selection } from './statements.ts'

/**
 * The manager of this name, whatever its org, is the source of index policies for all tokens: manager names are unique.
 * Only a token for all orgs may give this name. Contract 10, Search.
 */
export const sharedManager = 'default'

const versionScope = uniqueScope(managerVersion)

/** Creates an org's manager and its first version, of the same name. Contract 10. @returns the manager's row */
export function createManagerStatement(name: string, by: string, orgName?: string): ModelStatement {
  const version = { ...newIdentity(managerVersion, by), name, uniqueKey: versionScope + name, number: 1n }
  const properties = { ...newIdentity(manager, by), name, uniqueKey: uniqueScope(manager) + name, versions: 1n }
  return {
    query: `CREATE (n:${recordLabel}:${nodeLabel(manager)})<-[:${partOf}]-(v:${recordLabel}:${nodeLabel(managerVersion)})
SET n = $properties, v = $version
RETURN ${columnsOf(manager, 'n')}`,
    parameters: {
      properties: { ...properties, ...(orgName && { orgName }), lock: true },
      version: { ...version, manager: properties.grn },
    },
  }
}

/**
 * Creates the next version of a manager. Numbers are never reused and at least `least`. The default name is
 * `<manager>-<number>`. @returns its row
 */
export const createVersionStatement = (of: Selector, name: string | null, by: string, least = 0): ModelStatement => ({
  query: `${matchLocked(of)}
SET n.versions = CASE WHEN n.versions + 1 < $least THEN $least ELSE n.versions + 1 END
WITH n, coalesce($name, n.name + '-' + toString(n.versions)) AS name
CREATE (v:${recordLabel}:${nodeLabel(managerVersion)})-[:${partOf}]->(n)
SET v = $properties
SET v.name = name, v.uniqueKey = $scope + name, v.number = n.versions, v.manager = n.grn
RETURN ${columnsOf(managerVersion, 'v')}`,
  parameters: {
    ...selection(of),
    name,
    scope: versionScope,
    least: BigInt(least),
    properties: newIdentity(managerVersion, by),
  },
})

/** The next version number whose derived name is free. @returns one row */
export const freeNumberStatement = (of: Selector): ModelStatement => ({
  query: `${match(of)}
UNWIND range(n.versions + 1, n.versions + 1000000) AS number
OPTIONAL MATCH (taken:${recordLabel} {uniqueKey: $scope + n.name + '-' + toString(number)})
WITH number, taken WHERE taken IS NULL
RETURN number LIMIT 1`,
  parameters: { ...selection(of), scope: versionScope },
})

/** All managers, or the managers of `orgs`. @returns one row each */
export function managersStatement(orgs: Selector['orgs'], page?: ModelPage): ModelStatement {
  const sortedBy = ['n.name']
  return {
    query: `MATCH (n:${nodeLabel(manager)})${orgs === undefined ? '' : ' WHERE n.orgName IN $orgs'}
WITH n${afterPage(sortedBy, page)}
RETURN ${columnsOf(manager, 'n')}
${orderBy(sortedBy, page)}`,
    parameters: { ...(orgs === undefined ? {} : { orgs }), ...pageSelection(page) },
  }
}
