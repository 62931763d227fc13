import { behind, inOrder, type Page, pageSelection } from './pages.ts'
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

/** A record whose deletion has begun (`removal.ts`): neither it nor any part of it is there for anybody any more. */
export const deletedLabel = 'GraphPacketsDeleted'

/** MATCH of one record as `n`; its parameters are `selection`. */
export const match = ({ by, within, orgs }: Selector): string =>
  `MATCH (n:${recordLabel} {${by}: $value})${within === undefined ? '' : `-[:${partOf}*]->(:${recordLabel} {grn: $within})`}
WHERE NOT (n)-[:${partOf}*0..]->(:${deletedLabel})${orgs === undefined ? '' : ` AND ${isOfOrgs('n')}`}`

/** Whether a record belongs to a manager of `$orgs`. A manager that was made before it had an org is of none. */
export const isOfOrgs = (node: string): string =>
  `any(org IN [(${node})-[:${partOf}*0..]->(owner:GraphPacketsManager) | owner.orgName] WHERE org IN $orgs)`

export const selection = ({ value, within, orgs }: Selector) => ({
  value,
  ...(within === undefined ? {} : { within }),
  ...(orgs === undefined ? {} : { orgs }),
})

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
export const partsStatement = (resource: Resource, whole: Selector, page?: Page): Statement => {
  const sortedBy = resource.sortedBy.map((field) => `part.${field}`)
  return {
    query: `${match(whole)}
OPTIONAL MATCH (n)<-[:${partOf}]-(part:${nodeLabel(resource)})${behind(sortedBy, page)}
RETURN ${columnsOf(resource, 'part')}
${inOrder(sortedBy, page)}`,
    parameters: { ...selection(whole), ...pageSelection(page) },
  }
}

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
