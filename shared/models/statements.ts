import { afterPage, type ModelPage, orderBy, pageSelection } from './pages.ts'
import { columnsOf, newIdentity } from './records.ts'
import type { Resource, ResourceFields } from './resources.ts'
import { type Selector, uniqueScope } from './selector.ts'

/** One query. Its text depends only on the kind of record and on which fields change, so its plan is cached. */
export interface ModelStatement {
  query: string
  parameters: Record<string, unknown>
}

/**
 * Label of every node, in addition to the label of its kind (`nodeLabel`). Both are prefixed, because the database may
 * also hold unrelated data. Grn, id and unique key are unique among all nodes with this label.
 */
export const recordLabel = 'GraphPacketsRecord'
export const nodeLabel = ({ label }: Pick<Resource, 'label'>): string => `GraphPackets${label}`
/** The only relationship type, from a part to its whole: deleting a record deletes its parts. */
export const partOf = 'GRAPH_PACKETS_PART_OF'

/** A record whose deletion has begun (`removal.ts`): it and all its parts are invisible. */
export const deletedLabel = 'GraphPacketsDeleted'

/** MATCH of one record as `n`; its parameters are `selection`. */
export const match = ({ by, within, orgs }: Selector): string =>
  `MATCH (n:${recordLabel} {${by}: $value})${within === undefined ? '' : `-[:${partOf}*]->(:${recordLabel} {grn: $within})`}
WHERE NOT (n)-[:${partOf}*0..]->(:${deletedLabel})${orgs === undefined ? '' : ` AND ${isOfOrgs('n')}`}`

/** Whether a record belongs to a manager of `$orgs`. A manager from before managers had orgs belongs to none. */
export const isOfOrgs = (node: string): string =>
  `any(org IN [(${node})-[:${partOf}*0..]->(owner:GraphPacketsManager) | owner.orgName] WHERE org IN $orgs)`

export const selection = ({ value, within, orgs }: Selector) => ({
  value,
  ...(within === undefined ? {} : { within }),
  ...(orgs === undefined ? {} : { orgs }),
})

/**
 * Like `match`, after taking a write lock on the record's manager. So one transaction at a time changes a model:
 * otherwise a create could miss a concurrent delete and leave an orphan. The record is matched again after the lock is
 * granted, to see what the previous transaction committed.
 */
export const matchLocked = (selector: Selector): string =>
  `${match(selector)}
MATCH (n)-[:${partOf}*0..]->(model:GraphPacketsManager)
WITH model LIMIT 1
SET model.lock = true
WITH model
${match(selector)}`

/** @returns one row of `columnsOf`, or none if there is no such record */
export const findStatement = (selector: Selector): ModelStatement => ({
  query: `${match(selector)}
RETURN ${columnsOf(selector.resource, 'n')}`,
  parameters: selection(selector),
})

/** @returns one row per part; one row of nulls if there is no part; no row if there is no such record */
export const partsStatement = (resource: Resource, whole: Selector, page?: ModelPage): ModelStatement => {
  const sortedBy = resource.sortedBy.map((field) => `part.${field}`)
  return {
    query: `${match(whole)}
OPTIONAL MATCH (n)<-[:${partOf}]-(part:${nodeLabel(resource)})${afterPage(sortedBy, page)}
RETURN ${columnsOf(resource, 'part')}
${orderBy(sortedBy, page)}`,
    parameters: { ...selection(whole), ...pageSelection(page) },
  }
}

/** Creates a part of a record, with a key unique in it. @returns its row, or none if there is no such record */
export function createPartStatement(
  resource: Resource,
  whole: Selector,
  sent: ResourceFields & { key: string },
  by: string,
) {
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

/** What `SET variable += map` does with a map of these keys. Neo4j 3.4 does not know that inside `FOREACH`. */
export const assignments = (variable: string, map: string, keys: readonly string[]): string =>
  keys.map((key) => `${variable}.${key} = ${map}.${key}`).join(', ')

/** Further clauses to run after a record is changed. */
export interface Consequence {
  clauses: string
  parameters: Record<string, unknown>
}

/**
 * Changes a record, unless its enver is not in `envers` (null: any).
 * @returns whether it was changed, then its columns; no row if there is no such record
 */
export function updateStatement(
  selector: Selector,
  changes: ResourceFields,
  envers: readonly number[] | null,
  by: string,
  consequence: Consequence = { clauses: '', parameters: {} },
): ModelStatement {
  const changed = assignments('changed', '$changes', Object.keys(changes))
  const rename = 'key' in changes ? ', changed.uniqueKey = changed.scope + $changes.key' : ''
  return {
    query: `${matchLocked(selector)}
WITH n, CASE WHEN $envers IS NULL OR n.enver IN $envers THEN [n] ELSE [] END AS current
FOREACH (changed IN current |
  SET ${changed}, changed.enver = changed.enver + 1, changed.lastModifiedBy = $by,
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
