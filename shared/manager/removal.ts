import { managerVersion } from './resources.ts'
import type { Selector } from './selector.ts'
import {
  deletedLabel,
  match,
  matchLocked,
  nodeLabel,
  partOf,
  recordLabel,
  type Statement,
  selection,
} from './statements.ts'

/**
 * A record goes with all its parts, at whatever depth. Few go in one transaction. Of many the record itself is marked as
 * deleted first, which hides all of them at once, and then they go in steps, parts before what they are part of, for a
 * transaction must fit the database's memory. What a crash leaves is hidden, keeps no name taken, and is found by the
 * same delete again.
 */
const mostAtOnce = 2_000

/** @returns its grn, and whether its parts are few; no row where there is no such record */
export const sizeStatement = (selector: Selector): Statement => ({
  query: `${match(selector)}
MATCH (n)<-[:${partOf}*0..]-(part)
WITH n.grn AS grn, part LIMIT ${mostAtOnce + 1}
RETURN grn, count(part) <= ${mostAtOnce}`,
  parameters: selection(selector),
})

/** Deletes a record of few parts, unless `envers` lacks the one it has. @returns as `updateStatement`, without columns */
export const removeStatement = (selector: Selector, envers: readonly number[] | null): Statement => ({
  query: `${matchLocked(selector)}
MATCH (n)<-[:${partOf}*0..]-(part)
WITH n, $envers IS NULL OR n.enver IN $envers AS isCurrent, collect(DISTINCT part) AS parts
FOREACH (part IN CASE WHEN isCurrent THEN parts ELSE [] END | DETACH DELETE part)
RETURN isCurrent`,
  parameters: { ...selection(selector), envers: envers?.map(BigInt) ?? null },
})

/** Marks a record as deleted, where it may be: it leaves what it is part of, and its names are free. @returns as `removeStatement` */
export const markStatement = (selector: Selector, envers: readonly number[] | null): Statement => ({
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

/** @returns the grn of each record whose deletion has begun, and not ended, under this grn or name */
export const unfinishedStatement = ({ by, value, orgs }: Selector): Statement => ({
  query: `MATCH (n:${deletedLabel} {${by === 'grn' ? 'grn' : 'deletedKey'}: $value})
${orgs === undefined ? '' : 'WHERE n.orgName IN $orgs '}RETURN n.grn`,
  parameters: { value, ...(orgs === undefined ? {} : { orgs }) },
})

/** A step of the deletion of a marked record. @returns how many nodes it took; none are left after one that took none */
export const removeSomeStatement = (grn: string): Statement => ({
  query: `MATCH (n:${recordLabel} {grn: $grn})
WHERE n:${deletedLabel}
MATCH (n)<-[:${partOf}*0..]-(part)
WHERE NOT (part)<-[:${partOf}]-()
WITH DISTINCT part LIMIT ${mostAtOnce}
DETACH DELETE part
RETURN count(*)`,
  parameters: { grn },
})
