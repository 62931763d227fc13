import { columnsOf, newIdentity } from './records.ts'
import type { Fields, Resource } from './resources.ts'
import { type Selector, uniqueScope } from './selector.ts'

/** One query, which is one transaction. Its text depends on the kind of record only, so that the database keeps its plan. */
export interface Statement {
  query: string
  parameters: Record<string, unknown>
}

/**
 * Every node has this label, and one that says its kind (`nodeLabel`): names that no data of somebody else's has by
 * accident, for the database may hold more than models. Grn, id and unique key are unique among all of them.
 */
export const recordLabel = 'GraphPacketsRecord'
export const nodeLabel = ({ label }: Pick<Resource, 'label'>): string => `GraphPackets${label}`
/** The one relationship type, from a part to the whole: whatever a record is made of goes when it goes. */
export const partOf = 'GRAPH_PACKETS_PART_OF'

/** MATCH of one record as `n`; its parameters are `selection`. */
export const match = ({ by, within }: Selector): string =>
  `MATCH (n:${recordLabel} {${by}: $value})${within === undefined ? '' : `-[:${partOf}*]->(:${recordLabel} {grn: $within})`}`

export const selection = ({ value, within }: Selector) => (within === undefined ? { value } : { value, within })

/**
 * As `match`, behind a write lock on the manager that the record belongs to: a model is changed by one transaction at a
 * time, or a create could miss a delete under way and leave an orphan. The record is matched again after the wait for
 * the lock, for only then does it say what the one before has committed.
 */
export const matchLocked = (selector: Selector): string =>
  `${match(selector)}
MATCH (n)-[:${partOf}*0..]->(model:GraphPacketsManager)
WITH model LIMIT 1
SET model.lock = true
WITH model
${match(selector)}`

/** @returns a row of `columnsOf`, or none where there is no such record */
export const findStatement = (selector: Selector): Statement => ({
  query: `${match(selector)}
RETURN ${columnsOf(selector.resource, 'n')}`,
  parameters: selection(selector),
})

/** @returns a row a part; one of nulls where there is no part; none where there is no such record */
export const partsStatement = (resource: Resource, whole: Selector): Statement => ({
  query: `${match(whole)}
OPTIONAL MATCH (n)<-[:${partOf}]-(part:${nodeLabel(resource)})
RETURN ${columnsOf(resource, 'part')}
ORDER BY part.${resource.fields.includes('key') ? 'key' : 'number'}`,
  parameters: selection(whole),
})

/** A new part of a record, unique in it by `name`. @returns its row, or none where there is no such record */
export function createPartStatement(resource: Resource, whole: Selector, sent: Fields & { key: string }, by: string) {
  const scope = uniqueScope(resource, whole.value)
  const properties = { ...resource.atCreation(sent), ...newIdentity(resource, by), scope, uniqueKey: scope + sent.key }
  return {
    query: `${matchLocked(whole)}
CREATE (part:${recordLabel}:${nodeLabel(resource)})-[:${partOf}]->(n)
SET part = $properties
RETURN ${columnsOf(resource, 'part')}`,
    parameters: { ...selection(whole), properties },
  }
}

/** What happens to the record besides, once it is changed. */
export interface Consequence {
  clauses: string
  parameters: Record<string, unknown>
}

/**
 * Changes a record, unless `envers` (null: any will do) lacks the one it has.
 * @returns whether it was changed, then its columns; no row where there is no such record
 */
export function updateStatement(
  selector: Selector,
  changes: Fields,
  envers: readonly number[] | null,
  by: string,
  consequence: Consequence = { clauses: '', parameters: {} },
): Statement {
  const rename = 'key' in changes ? ', changed.uniqueKey = changed.scope + changed.key' : ''
  return {
    query: `${matchLocked(selector)}
WITH n, CASE WHEN $envers IS NULL OR n.enver IN $envers THEN [n] ELSE [] END AS current
FOREACH (changed IN current |
  SET changed += $changes, changed.enver = changed.enver + 1, changed.lastModifiedBy = $by,
    changed.updatedAt = CASE WHEN changed.updatedAt > $now THEN changed.updatedAt ELSE $now END${rename})
${consequence.clauses}RETURN size(current) = 1, ${columnsOf(selector.resource, 'n')}`,
    parameters: {
      ...selection(selector),
      changes,
      envers: envers?.map(BigInt) ?? null,
      by,
      now: new Date().toISOString(),
      ...consequence.parameters,
    },
  }
}

/** Deletes a record and all its parts, at whatever depth, unless `envers` lacks the one it has. @returns as `updateStatement` */
export const removeStatement = (selector: Selector, envers: readonly number[] | null): Statement => ({
  query: `${matchLocked(selector)}
MATCH (n)<-[:${partOf}*0..]-(part)
WITH n, $envers IS NULL OR n.enver IN $envers AS isCurrent, collect(DISTINCT part) AS parts
FOREACH (part IN CASE WHEN isCurrent THEN parts ELSE [] END | DETACH DELETE part)
RETURN isCurrent`,
  parameters: { ...selection(selector), envers: envers?.map(BigInt) ?? null },
})
