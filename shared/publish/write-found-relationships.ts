import { isQuotable } from '../cypher/identifiers.ts'
import type { Rendered } from '../cypher/values.ts'
import * as errors from '../errors/catalogue.ts'
import { propertyOf } from './columns.ts'
import { type FoundRelationship, findRelationships } from './find-relationships.ts'
import { type Identity, requestText } from './identity.ts'
import type { InternalId } from './internal-ids.ts'
import type { Plan } from './plan.ts'
import { RelationshipBatch } from './relationship-batch.ts'
import { relationshipIdOf } from './relationship-upserts.ts'
import { idForms } from './targets.ts'
import { noted, noteSkipped, type Work } from './work.ts'
import { identify } from './write-nodes.ts'

/** Relationships of a request's `relationshipIds`, and the ids that the origin does not have. At most 500 ids. */
export interface Found {
  rows: { found: FoundRelationship; start: Identity; end: Identity }[]
  /** The nodes on either side, of those to be skipped too: targeted where the request gives no origin ids. */
  ends: readonly InternalId[]
  missing: readonly string[]
  /** Relationships that cannot be published. */
  skipped: number
}

const namedAtMost = 10

/** Finds them wherever they are. @throws invalidRequest (400) by `hardFilterRelationships`. Contract 4.8 and 4.9. */
export async function findByRelationshipIds(
  work: Pick<Work, 'origin' | 'schema' | 'plan' | 'uniqueness' | 'watch' | 'report'>,
): Promise<Found> {
  const { origin, schema, plan, uniqueness, report } = work
  const field = plan.relationshipIdField as string
  const values = plan.relationshipIds
    .map(idForms)
    .flatMap(({ text, integer }) => (integer === null ? [text] : [text, integer]))
  const all: FoundRow[] = []
  const known = new Set<string>()
  for await (const found of findRelationships(origin, schema, plan.identity, field, values, report.missingIndex)) {
    const id = relationshipIdOf(plan, found.relationship, found.type, field, found.properties)
    known.add(requestText(id as Rendered) as string)
    const start = identify(work, found.start.node, found.start.keys)
    const end = identify(work, found.end.node, found.end.keys)
    all.push({ found, start, end })
  }
  await uniqueness.check(plan.skips)
  if (plan.requiresBothEnds) requireBothEnds(plan.originIds, all, field)
  const isOwn = (end: Identity | null): end is Identity => end !== null && !uniqueness.isDuplicate(end)
  const rows = all.flatMap(({ found, start, end }) =>
    isOwn(start) && isOwn(end) && (isQuotable(found.type) || !plan.skips) ? [{ found, start, end }] : [],
  )
  const missing = plan.relationshipIds.filter((id) => !known.has(id))
  return { rows, ends: endsOf(plan, all), missing, skipped: all.length - rows.length }
}

/** As it was found: an end that is to be skipped has no identity. */
interface FoundRow {
  found: FoundRelationship
  start: Identity | null
  end: Identity | null
}

/** Seed, `hardFilterRelationships`: the id of every node on either side must be among the origin ids. */
function requireBothEnds(originIds: readonly string[], rows: readonly FoundRow[], field: string) {
  const given = new Set(originIds)
  const isOutside = (end: Identity | null) => {
    const id = end && requestText(end.id)
    return end !== null && (id === null || !given.has(id))
  }
  const outside = rows.filter(({ start, end }) => isOutside(start) || isOutside(end))
  if (outside.length === 0) return
  const named = outside.map(({ found }) => String(propertyOf(found.properties, field)))
  const list = [...new Set(named)]
    .slice(0, namedAtMost)
    .map((id) => `"${id}"`)
    .join(', ')
  const message = `a node on either side is missing from originIds for the relationshipIds ${list}`
  throw errors.invalidRequest([{ path: 'hardFilterRelationships', message }])
}

/** Those that bear `targetFilter`, if it is given. Contract 4.6 and 4.7. */
function endsOf({ targetFilter }: Plan, rows: readonly FoundRow[]): InternalId[] {
  const ends = rows.flatMap(({ found }) => [found.start, found.end])
  const targeted = ends.filter(({ keys }) => targetFilter === null || keys.labels.includes(targetFilter))
  return [...new Set(targeted.map(({ node }) => node))]
}

/** An upsert for each of them. */
export async function writeFound(work: Work, { rows, missing, skipped }: Found): Promise<void> {
  if (missing.length > 0) {
    work.report.missing('relationshipIds', missing)
    work.writer.note(noted(work.plan, (metadata) => metadata.missing('relationshipIds', missing)))
  }
  for (let count = 0; count < skipped; count++) noteSkipped(work, 'relationships')
  const batch = new RelationshipBatch(work)
  for (const { found, start, end } of rows) {
    await batch.add(
      found.relationship,
      [found.start.node, found.end.node],
      { start, type: found.type, end },
      found.properties,
    )
  }
  await batch.write()
}
