import { byCodePoint, isQuotable } from '../../../packet/cypher/identifiers.ts'
import { type Identity, idText, mergeText } from '../../../packet/identity.ts'
import * as errors from '../../errors/catalogue.ts'
import type { Properties } from '../../origin/properties.ts'
import { askedText } from '../../read/asked-text.ts'
import { byId, type InternalId } from '../../read/internal-ids.ts'
import { findRelationships, foundAtOnce, mostFound, readWhole } from '../../read/relationships-by-own-id.ts'
import { idForms } from '../../request/id-forms.ts'
import { identityLabel, identityOf, type NodeKeys } from '../../request/identity.ts'
import type { Plan } from '../../request/plan.ts'
import { ownIdOf, relationshipIdOf, typeProblem } from '../pairs/relationship-upserts.ts'
import { identify } from './nodes.ts'
import { observeRelationship, onDuplicate } from './observer.ts'
import { RelationshipBatch } from './relationship-batch.ts'
import { countSkipped, type RequestContext, reportMissing, type WriteContext } from './request-context.ts'

/** What a request's `relationshipIds` found, and the ids that the origin does not have. At most 500 ids. */
export interface FoundByOwnId {
  rows: IdentifiedRow[]
  /** The end nodes, also of skipped relationships: the targeted nodes if the request gives no origin ids. */
  ends: readonly InternalId[]
  missing: readonly string[]
  /** Number of relationships that cannot be published. */
  skipped: number
}

const namedAtMost = 10

/**
 * Finds relationships by the request's `relationshipIds`, wherever they are. Contract 4.8 and 4.9.
 * @throws invalidRequest (400) by `hardFilterRelationships`, tooManyFound (413).
 */
export async function findByRelationshipIds(context: RequestContext): Promise<FoundByOwnId> {
  const { plan, uniqueness, report } = context
  const field = plan.relationshipIdField as string
  const ids = [...new Set(plan.relationshipIds)]
  const values = ids.flatMap(idForms)
  const all: FoundRow[] = []
  const known = new Set<string>()
  for await (const found of findRelationships(context, field, values, report.missingIndex)) {
    const { relationship, type, properties } = found
    // The relationship was changed or deleted after the search had found it.
    if (properties.shape.indexOf(field) === -1) continue
    const id = relationshipIdOf(plan, relationship, type, properties)
    if (id === null) continue
    known.add(askedText(properties, field) as string)
    const [start, end] = [found.start, found.end].map((node) => ({
      node: node.node,
      identity: identify(context, node.node, node),
      ...(context.index ? { known: knownIdentity(plan, node) } : {}),
      ...(plan.requiresBothEnds ? { asked: askedId(plan, node) } : {}),
      labels: node.labels,
    })) as [FoundEnd, FoundEnd]
    if (plan.skips && !isQuotable(type)) observeRelationship(context, relationship, type, properties, typeProblem)
    all.push({ relationship, type, ownId: mergeText(id), name: idText(id), start, end })
    if (all.length > mostFound) throw errors.tooManyFound(mostFound)
  }
  await uniqueness.check(onDuplicate(context))
  if (plan.requiresBothEnds) requireBothEnds(context, all)
  const isOwn = (end: FoundEnd): end is IdentifiedEnd => end.identity !== null && !uniqueness.isDuplicate(end.identity)
  if (context.index) {
    for (const { start, type, end } of all) {
      const isSkipped = !isOwn(start) || !isOwn(end)
      if (isSkipped && start.known && end.known) context.index.keepBetween({ start: start.known, type, end: end.known })
    }
  }
  const rows = all.flatMap(({ start, end, ...row }) =>
    isOwn(start) && isOwn(end) && (isQuotable(row.type) || !plan.skips) ? [{ ...row, start, end }] : [],
  )
  const missing = ids.filter((id) => !known.has(id))
  return { rows, ends: endsOf(plan, all), missing, skipped: all.length - rows.length }
}

/** An end of a found relationship; `identity` is null if the node is to be skipped. */
interface FoundEnd {
  node: InternalId
  labels: readonly string[]
  identity: Identity | null
  /** Its identity, also if it is to be skipped; null if it has none. */
  known?: Identity | null
  /** Its id as origin ids name it, for `hardFilterRelationships`; null if none can. */
  asked?: string | null
}

type IdentifiedEnd = FoundEnd & { identity: Identity }

/** A relationship as found, without its properties. */
interface FoundRow {
  relationship: InternalId
  type: string
  /** `MERGE` treats ids with equal texts as the same. */
  ownId: string
  /** Its own id, for people. */
  name: string
  start: FoundEnd
  end: FoundEnd
}

type IdentifiedRow = FoundRow & Record<'start' | 'end', IdentifiedEnd>

/** The id of an end, as origin ids name it. */
function askedId({ identity }: Plan, { labels, properties }: NodeKeys): string | null {
  const label = identityLabel(identity, labels, properties.unmasked.text('index'))
  const key = label === null ? undefined : identity.idProperties.get(label)
  return key === undefined ? null : askedText(properties, key)
}

function knownIdentity({ identity: rule }: Plan, node: NodeKeys): Identity | null {
  const identity = identityOf(rule, node)
  return 'problem' in identity ? null : identity
}

/** Seed, `hardFilterRelationships`: the id of every node on either side must be among the origin ids. */
function requireBothEnds({ plan, pathOf }: RequestContext, rows: readonly FoundRow[]) {
  const given = new Set(plan.originIds)
  const isOutside = ({ identity, asked = null }: FoundEnd) => identity !== null && !(asked && given.has(asked))
  const outside = rows.filter(({ start, end }) => isOutside(start) || isOutside(end))
  if (outside.length === 0) return
  const list = [...new Set(outside.map(({ name }) => name))]
    .slice(0, namedAtMost)
    .map((id) => `"${id}"`)
    .join(', ')
  const message = `a node on either side is missing from originIds for the relationshipIds ${list}`
  throw errors.invalidRequest([{ path: pathOf('hardFilterRelationships'), message }])
}

/** The end nodes with the label `targetFilter`, or all if it is absent. Contract 4.6 and 4.7. */
function endsOf({ targetFilter }: Plan, rows: readonly FoundRow[]): InternalId[] {
  const ends = rows.flatMap(({ start, end }) => [start, end])
  const targeted = ends.filter(({ labels }) => targetFilter === null || labels.includes(targetFilter))
  return [...new Set(targeted.map(({ node }) => node))]
}

/** Writes an upsert for each found relationship. */
export async function writeFound(context: WriteContext, { rows, missing, skipped }: FoundByOwnId): Promise<void> {
  reportMissing(context, 'relationshipIds', missing)
  countSkipped(context, 'relationships', skipped)
  const { observer, targets, seen, plan } = context
  for (const { start, end } of rows) {
    for (const { node, identity } of [start, end]) {
      const position = targets.positionOf(node)
      seen.see(position, identity)
      if (position === -1) observer?.farEnd(node)
    }
  }
  let batch = new RelationshipBatch(context)
  const types = new Map(rows.map(({ relationship, type }) => [relationship, type]))
  // Sort the rows if they are read in several groups, so that parallel relationships follow one another.
  let remaining = rows.length > foundAtOnce(context) ? rows.toSorted(byEnds) : rows
  while (remaining.length > 0) {
    const some = remaining.slice(0, foundAtOnce(context))
    const read = await readWhole(
      context,
      some.map(({ relationship }) => relationship),
      (relationship) => types.get(relationship) as string,
    )
    if (read === null) {
      remaining = remaining.toSorted(byEnds)
      continue
    }
    const propertiesOf = new Map(read.elements.map(({ relationship, properties }) => [relationship, properties]))
    for (const { relationship, type, ownId, start, end } of some) {
      const properties = propertiesOf.get(relationship)
      // The relationship no longer exists or has another id.
      if (!properties || ownIdText(plan, properties) !== ownId) continue
      const ends = { start: start.identity, type, end: end.identity }
      batch.add(relationship, [start.node, end.node], ends, properties)
    }
    remaining = remaining.slice(some.length)
    const [next] = remaining
    if (next && byEnds(some.at(-1) as IdentifiedRow, next) === 0) batch.detach()
    else {
      await batch.write()
      batch = new RelationshipBatch(context)
    }
    read.release()
  }
}

function ownIdText(plan: Plan, properties: Properties): string | null {
  const id = ownIdOf(plan, properties)
  return 'problem' in id ? null : mergeText(id)
}

/** Orders by what `MERGE` finds a relationship by. */
function byEnds(one: IdentifiedRow, other: IdentifiedRow): number {
  const ofEnds = byId(one.start.node, other.start.node) || byId(one.end.node, other.end.node)
  return ofEnds || byCodePoint(one.type, other.type) || byCodePoint(one.ownId, other.ownId)
}
