import { isQuotable } from '../cypher/identifiers.ts'
import type { Rendered } from '../cypher/values.ts'
import * as errors from '../errors/catalogue.ts'
import { type Identity, idText } from './identity.ts'
import { type FoundRelationship, findRelationships, type InternalId } from './reads.ts'
import { RelationshipUpserts, relationshipIdOf } from './relationship-upserts.ts'
import { noted, noteSkipped, type Slice } from './slice.ts'
import { idForms } from './targets.ts'
import { identify } from './write-nodes.ts'
import { completeZones } from './zones.ts'

/** Relationships of a request's `relationshipIds`, and the ids that the origin does not have. At most 500 ids. */
export interface Found {
  rows: { found: FoundRelationship; start: Identity; end: Identity }[]
  missing: readonly string[]
  /** Relationships that cannot be published. */
  skipped: number
}

const namedAtMost = 10

/** Finds them wherever they are. @throws invalidRequest (400) by `hardFilterRelationships`. Contract 4.8 and 4.9. */
export async function findByRelationshipIds(
  slice: Pick<Slice, 'origin' | 'plan' | 'uniqueness' | 'watch' | 'report'>,
): Promise<Found> {
  const { origin, plan, uniqueness } = slice
  const field = plan.relationshipIdField as string
  const values = plan.relationshipIds
    .map(idForms)
    .flatMap(({ text, integer }) => (integer === null ? [text] : [text, integer]))
  const rows: Found['rows'] = []
  let skipped = 0
  const known = new Set<string>()
  for await (const found of findRelationships(origin, plan.identity, field, values)) {
    await completeZones(origin, 'relationship', found.relationship, found)
    known.add(idText(relationshipIdOf(plan, found.relationship, found.type, field, found) as Rendered))
    const start = await identify(slice, found.start.node, found.start.keys)
    const end = await identify(slice, found.end.node, found.end.keys)
    const isNamed = isQuotable(found.type) || !plan.skips
    if (start && end && isNamed) rows.push({ found, start, end })
    else skipped++
  }
  await uniqueness.check(plan.skips)
  const unique = rows.filter(({ start, end }) => !uniqueness.isDuplicate(start) && !uniqueness.isDuplicate(end))
  skipped += rows.length - unique.length
  if (plan.requiresBothEnds) requireBothEnds(plan.originIds, unique, field)
  return { rows: unique, missing: plan.relationshipIds.filter((id) => !known.has(id)), skipped }
}

/** Seed, `hardFilterRelationships`: the id of every node on either side must be among the origin ids. */
function requireBothEnds(originIds: readonly string[], rows: Found['rows'], field: string) {
  const given = new Set(originIds)
  const outside = rows.filter(({ start, end }) => !given.has(idText(start.id)) || !given.has(idText(end.id)))
  if (outside.length === 0) return
  const named = outside.map(({ found }) => String(found.values[found.keys.indexOf(field)]))
  const list = [...new Set(named)]
    .slice(0, namedAtMost)
    .map((id) => `"${id}"`)
    .join(', ')
  const message = `a node on either side is missing from originIds for the relationshipIds ${list}`
  throw errors.invalidRequest([{ path: 'hardFilterRelationships', message }])
}

/** The nodes on either side of what was found: the targeted nodes where the request gives no origin ids. Contract 4.7. */
export const endsOf = ({ rows }: Found): InternalId[] => [
  ...new Set(rows.flatMap(({ found }) => [found.start.node, found.end.node])),
]

/** An upsert for each of them. */
export async function writeFound(slice: Slice, { rows, missing, skipped }: Found): Promise<void> {
  if (missing.length > 0) {
    slice.report.missing('relationshipIds', missing)
    slice.writer.note(noted(slice.plan, (metadata) => metadata.missing('relationshipIds', missing)))
  }
  for (let count = 0; count < skipped; count++) noteSkipped(slice, 'relationships')
  const upserts = new RelationshipUpserts(slice)
  for (const { found, start, end } of rows) {
    upserts.add(found.relationship, [found.start.node, found.end.node], { start, type: found.type, end }, found)
  }
  await upserts.write()
}
