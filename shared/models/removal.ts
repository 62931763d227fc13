import { managerVersion } from './resources.ts'
import type { Selector } from './selector.ts'
import {
  deletedLabel,
  type ModelStatement,
  match,
  matchLocked,
  nodeLabel,
  partOf,
  recordLabel,
  selection,
} from './statements.ts'

/**
 * Parts of a record that one transaction deletes. Beyond this limit the deletion runs in steps: a transaction must fit
 * the database's memory. The first step marks the record as deleted, which hides all parts at once; the next ones
 * delete parts bottom-up. Leftovers of a crash are hidden and block no name. Repeating the delete removes them.
 */
const mostAtOnce = 2_000

/** @returns the record's grn, and whether it has few parts; no row if there is no such record */
export const sizeStatement = (selector: Selector): ModelStatement => ({
  query: `${match(selector)}
MATCH (n)<-[:${partOf}*0..]-(part)
WITH n.grn AS grn, part LIMIT ${mostAtOnce + 1}
RETURN grn, count(part) <= ${mostAtOnce}`,
  parameters: selection(selector),
})

/** Deletes a record with few parts if `envers` allows. @returns like `updateStatement`, without columns */
export const removeStatement = (selector: Selector, envers: readonly number[] | null): ModelStatement => ({
  query: `${matchLocked(selector)}
MATCH (n)<-[:${partOf}*0..]-(part)
WITH n, $envers IS NULL OR n.enver IN $envers AS isCurrent, collect(DISTINCT part) AS parts
FOREACH (part IN CASE WHEN isCurrent THEN parts ELSE [] END | DETACH DELETE part)
RETURN isCurrent`,
  parameters: { ...selection(selector), envers: envers?.map(BigInt) ?? null },
})

/** Marks a record as deleted if `envers` allows: detaches it and frees its names. @returns like `removeStatement` */
export const markStatement = (selector: Selector, envers: readonly number[] | null): ModelStatement => ({
  query: `${matchLocked(selector)}
WITH DISTINCT n, $envers IS NULL OR n.enver IN $envers AS isCurrent
OPTIONAL MATCH (n)-[up:${partOf}]->()
OPTIONAL MATCH (n)-[:${partOf}*]->(of:GraphPacketsManager)
OPTIONAL MATCH (n)<-[:${partOf}]-(version:${nodeLabel(managerVersion)})
WITH n, isCurrent, collect(DISTINCT up) AS ups, collect(DISTINCT version) AS versions, head(collect(of.orgName)) AS orgName
FOREACH (marked IN CASE WHEN isCurrent THEN [n] ELSE [] END |
  SET marked:${deletedLabel}, marked.deletedKey = marked.uniqueKey, marked.orgName = coalesce(marked.orgName, orgName)
  REMOVE marked:${nodeLabel(selector.resource)}, marked.uniqueKey
  FOREACH (up IN ups | DELETE up)
  FOREACH (version IN versions | REMOVE version.uniqueKey))
RETURN isCurrent`,
  parameters: { ...selection(selector), envers: envers?.map(BigInt) ?? null },
})

/** @returns the grn of each record with this grn or name whose deletion has begun but not ended */
export const unfinishedStatement = ({ by, value, orgs }: Selector): ModelStatement => ({
  query: `MATCH (n:${deletedLabel} {${by === 'grn' ? 'grn' : 'deletedKey'}: $value})
${orgs === undefined ? '' : 'WHERE n.orgName IN $orgs '}RETURN n.grn`,
  parameters: { value, ...(orgs === undefined ? {} : { orgs }) },
})

/** One step of deleting a marked record. @returns the number of deleted nodes; 0 when none are left */
export const removeSomeStatement = (grn: string): ModelStatement => ({
  query: `MATCH (n:${recordLabel} {grn: $grn})
WHERE n:${deletedLabel}
MATCH (n)<-[:${partOf}*0..]-(part)
WHERE NOT (part)<-[:${partOf}]-()
WITH DISTINCT part LIMIT ${mostAtOnce}
DETACH DELETE part
RETURN count(*)`,
  parameters: { grn },
})
