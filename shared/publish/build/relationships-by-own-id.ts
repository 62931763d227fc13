import { byCodePoint, isQuotable } from '../../cypher/identifiers.ts'
import type { Rendered } from '../../cypher/values.ts'
import * as errors from '../../errors/catalogue.ts'
import { bytesOf } from '../../origin/row-bytes.ts'
import { relationshipIdOf, typeProblem } from '../pairs/relationship-upserts.ts'
import { type Properties, propertyOf } from '../read/columns.ts'
import { byId, type InternalId } from '../read/internal-ids.ts'
import { allProperties } from '../read/properties.ts'
import { type FoundRelationship, findRelationships } from '../read/relationships-by-own-id.ts'
import { completeZones } from '../read/zone-offsets.ts'
import { idForms } from '../request/id-forms.ts'
import { type Identity, idKey, mergeText, requestText } from '../request/identity.ts'
import type { Plan } from '../request/plan.ts'
import { identify } from './nodes.ts'
import { observeRelationship, onDuplicate } from './observer.ts'
import { RelationshipBatch } from './relationship-batch.ts'
import { countSkipped, type RequestContext, type WriteContext, withSettings } from './request-context.ts'

/** What a request's `relationshipIds` found, and the ids that the origin does not have. At most 500 ids. */
export interface Found {
  rows: Identified[]
  /** The end nodes, those of skipped relationships too: the targeted nodes if the request gives no origin ids. */
  ends: readonly InternalId[]
  missing: readonly string[]
  /** Number of relationships that cannot be published. */
  skipped: number
}

const namedAtMost = 10

// Properties up to this total size are held from when they are found; the rest are read again when they are written.
const bytesAtOnce = 16 * 1024 * 1024

// At most 500 ids are requested: a property that so many relationships share identifies none. They take some 100 MB.
const mostFound = 100_000

/**
 * Finds relationships by the request's `relationshipIds`, wherever they are. Contract 4.8 and 4.9.
 * @throws invalidRequest (400) by `hardFilterRelationships`, tooManyFound (413).
 */
export async function findByRelationshipIds(context: RequestContext): Promise<Found> {
  const { origin, schema, plan, uniqueness, report } = context
  const field = plan.relationshipIdField as string
  const ids = [...new Set(plan.relationshipIds)]
  const values = ids.map(idForms).flatMap(({ text, integer }) => (integer === null ? [text] : [text, integer]))
  const all: FoundRow[] = []
  const known = new Set<string>()
  let bytes = 0
  for await (const found of findRelationships(origin, schema, plan.identity, field, values, report.missingIndex)) {
    const id = relationshipIdOf(plan, found.relationship, found.type, field, found.properties)
    known.add(requestText(id as Rendered) as string)
    const start = identify(context, found.start.node, found.start.keys)
    const end = identify(context, found.end.node, found.end.keys)
    if (plan.skips && !isQuotable(found.type)) {
      observeRelationship(context, found.relationship, found.type, found.properties, typeProblem)
    }
    bytes += bytesOf(found.properties.values)
    const isHeld = bytes <= bytesAtOnce
    const ownId = mergeText(id as Rendered)
    const properties = isHeld ? found.properties : onlyOf(found.properties, field)
    all.push({ found: { ...found, properties }, ownId, isHeld, start, end })
    if (all.length > mostFound) throw errors.tooManyFound(mostFound)
  }
  await uniqueness.check(onDuplicate(context))
  if (plan.requiresBothEnds) requireBothEnds(context, all, field)
  const isOwn = (end: Identity | null): end is Identity => end !== null && !uniqueness.isDuplicate(end)
  const rows = all.flatMap(({ start, end, ...row }) =>
    isOwn(start) && isOwn(end) && (isQuotable(row.found.type) || !plan.skips) ? [{ ...row, start, end }] : [],
  )
  const missing = ids.filter((id) => !known.has(id))
  return { rows, ends: endsOf(plan, all), missing, skipped: all.length - rows.length }
}

/** A relationship as found; `start` or `end` is null if that node is to be skipped. */
interface FoundRow {
  found: FoundRelationship
  /** `MERGE` treats ids with equal texts as the same. */
  ownId: string
  /** Whether all its properties are held, or only its own id. */
  isHeld: boolean
  start: Identity | null
  end: Identity | null
}

type Identified = FoundRow & Record<'start' | 'end', Identity>

const onlyOf = (properties: Properties, key: string): Properties => ({
  keys: [key],
  values: [propertyOf(properties, key)],
  columns: null,
})

/** Seed, `hardFilterRelationships`: the id of every node on either side must be among the origin ids. */
function requireBothEnds({ plan, pathOf }: RequestContext, rows: readonly FoundRow[], field: string) {
  const given = new Set(plan.originIds)
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
  throw errors.invalidRequest([{ path: pathOf('hardFilterRelationships'), message }])
}

/** The end nodes with the label `targetFilter`, or all if it is absent. Contract 4.6 and 4.7. */
function endsOf({ targetFilter }: Plan, rows: readonly FoundRow[]): InternalId[] {
  const ends = rows.flatMap(({ found }) => [found.start, found.end])
  const targeted = ends.filter(({ keys }) => targetFilter === null || keys.labels.includes(targetFilter))
  return [...new Set(targeted.map(({ node }) => node))]
}

/** Writes an upsert for each found relationship. */
export async function writeFound(context: WriteContext, { rows, missing, skipped }: Found): Promise<void> {
  if (missing.length > 0) {
    context.report.missing('relationshipIds', missing)
    context.writer.updateMetadata(
      withSettings(context.plan, (metadata) => metadata.missing('relationshipIds', missing)),
    )
  }
  countSkipped(context, 'relationships', skipped)
  let batch = new RelationshipBatch(context)
  let bytes = 0
  let last: Identified | null = null
  // When split, sorted so that parallel relationships are in one batch.
  const isSplit = rows.some(({ isHeld }) => !isHeld)
  for (const row of isSplit ? rows.toSorted(byEnds) : rows) {
    const { found, start, end } = row
    const { observer, targets } = context
    for (const { node } of observer ? [found.start, found.end] : []) {
      if (targets.positionOf(node) === -1) observer?.farEnd(node)
    }
    const properties = row.isHeld ? found.properties : await readWhole(context, row)
    if (properties === null) continue
    if (isSplit && bytes > bytesAtOnce && last && byEnds(last, row) !== 0) {
      await batch.write()
      batch = new RelationshipBatch(context)
      bytes = 0
    }
    bytes += bytesOf(properties.values)
    last = row
    await batch.add(
      found.relationship,
      [found.start.node, found.end.node],
      { start, type: found.type, end },
      properties,
    )
  }
  await batch.write()
}

/** Orders by what `MERGE` finds a relationship by. */
function byEnds(one: Identified, other: Identified): number {
  const [a, b] = [one.found, other.found]
  const ofEnds = byId(a.start.node, b.start.node) || byId(a.end.node, b.end.node)
  return ofEnds || byCodePoint(a.type, b.type) || byCodePoint(one.ownId, other.ownId)
}

/** null if the relationship no longer exists or has another id. */
async function readWhole({ origin, plan }: WriteContext, { found: { relationship }, ownId }: Identified) {
  const whole = await allProperties(origin, 'r', relationship)
  if (whole === null || idKey(propertyOf(whole, plan.relationshipIdField as string)) !== ownId) return null
  if (origin.legacy) await completeZones(origin, 'relationship', relationship, whole)
  return whole
}
