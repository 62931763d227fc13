import { constraint, demands } from './constraints.ts'
import { newIdentity } from './records.ts'
import { nodeType, property, propertyImpl, type Resource, type ResourceFields } from './resources.ts'
import { type Selector, uniqueScope } from './selector.ts'
import {
  assignments,
  type ModelStatement,
  matchLocked,
  nodeLabel,
  partOf,
  recordLabel,
  selection,
} from './statements.ts'
import { completed, documentFields } from './version-document.ts'

type Keyed = ResourceFields & { key: string }

/** Unchanged elements are not written, so that repeating an import changes nothing. */
const change = (resource: Resource) => `FOREACH (changed IN CASE WHEN differs THEN [e] ELSE [] END |
  SET ${assignments('changed', 'row.fields', documentFields(resource))},
    changed.enver = changed.enver + 1, changed.lastModifiedBy = $by, changed.updatedAt = $now)`
const differs = `NOT isNew AND any(field IN $fields
  WHERE coalesce(e[field] <> row.fields[field], e[field] IS NOT NULL OR row.fields[field] IS NOT NULL)) AS differs`
const counts = `count(*), sum(CASE WHEN isNew THEN 1 ELSE 0 END), sum(CASE WHEN differs THEN 1 ELSE 0 END)`

const common = (resource: Resource, version: Selector, by: string) => ({
  ...selection(version),
  fields: documentFields(resource),
  by,
  now: new Date().toISOString(),
})

/** Upserts properties or node types of a version. @returns the number of elements, created ones, changed ones */
export function importStatement(
  resource: Resource,
  version: Selector,
  given: readonly Keyed[],
  by: string,
): ModelStatement {
  const scope = uniqueScope(resource, version.value)
  const rows = given.map(({ key, ...fields }) => ({
    uniqueKey: scope + key,
    identity: { ...newIdentity(resource, by), key, scope },
    fields: completed(resource, fields),
  }))
  return {
    query: `${matchLocked(version)}
UNWIND $rows AS row
MERGE (e:${recordLabel} {uniqueKey: row.uniqueKey})
ON CREATE SET e:${nodeLabel(resource)}, e += row.identity, e += row.fields
WITH n, e, row, e.grn = row.identity.grn AS isNew
FOREACH (new IN CASE WHEN isNew THEN [e] ELSE [] END | CREATE (new)-[:${partOf}]->(n))
WITH e, row, isNew, ${differs}
${change(resource)}
RETURN ${counts}`,
    parameters: { ...common(resource, version, by), rows },
  }
}

const keptKeys = Object.keys({ ...newIdentity(constraint, ''), type: '' })

export interface GivenImplementation {
  nodeType: string
  implementation: Keyed
}

/** Like `importStatement`, for implementations with their constraints. Both ends must exist already. */
export function importImplementationsStatement(version: Selector, given: readonly GivenImplementation[], by: string) {
  const scopeOf = (resource: Resource) => uniqueScope(resource, version.value)
  const rows = given.map(({ nodeType: type, implementation: { key, ...fields } }) => ({
    nodeType: scopeOf(nodeType) + type,
    property: scopeOf(property) + key,
    identity: newIdentity(propertyImpl, by),
    fields: completed(propertyImpl, fields),
    kept: demands.flatMap(({ flag, type }) =>
      fields[flag] === true ? [{ type, properties: { ...newIdentity(constraint, by), type } }] : [],
    ),
  }))
  return {
    query: `${matchLocked(version)}
UNWIND $rows AS row
MATCH (t:${recordLabel} {uniqueKey: row.nodeType})
MATCH (p:${recordLabel} {uniqueKey: row.property})
MERGE (e:${recordLabel} {uniqueKey: $scope + t.grn + '|' + p.grn})
ON CREATE SET e:${nodeLabel(propertyImpl)}, e += row.identity, e += row.fields
WITH t, p, e, row, e.grn = row.identity.grn AS isNew
FOREACH (new IN CASE WHEN isNew THEN [e] ELSE [] END | CREATE (t)<-[:${partOf}]-(new) CREATE (new)-[:${partOf}]->(p))
WITH e, row, isNew, ${differs}
${change(propertyImpl)}
WITH e, row, isNew, differs
OPTIONAL MATCH (e)<-[:${partOf}]-(old:${nodeLabel(constraint)})
WHERE differs AND NOT old.type IN [kept IN row.kept | kept.type]
WITH e, row, isNew, differs, collect(old) AS olds
FOREACH (old IN olds | DETACH DELETE old)
FOREACH (kept IN CASE WHEN isNew OR differs THEN row.kept ELSE [] END |
  MERGE (c:${recordLabel} {uniqueKey: $constraintScope + e.grn + '|' + kept.type})
  ON CREATE SET c:${nodeLabel(constraint)}, ${assignments('c', 'kept.properties', keptKeys)}
  MERGE (c)-[:${partOf}]->(e))
RETURN ${counts}`,
    parameters: {
      ...common(propertyImpl, version, by),
      rows,
      scope: `${propertyImpl.grnType}|`,
      constraintScope: `${constraint.grnType}|`,
    },
  } satisfies ModelStatement
}

/** Hides the version from index policies until the import ends, unless it already has a node type. */
export const beginImportStatement = (version: Selector): ModelStatement => ({
  query: `${matchLocked(version)}
SET n.importing = CASE WHEN (n)<-[:${partOf}]-(:${nodeLabel(nodeType)}) THEN n.importing ELSE true END
RETURN 1`,
  parameters: selection(version),
})

export const endImportStatement = (version: Selector): ModelStatement => ({
  query: `${matchLocked(version)}
REMOVE n.importing
RETURN 1`,
  parameters: selection(version),
})
