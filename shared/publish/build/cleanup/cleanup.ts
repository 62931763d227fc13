import type { Identity } from '../../../packet/identity.ts'
import type { RelationshipType } from '../../../packet/kinds/cleanup.ts'
import type { WrittenPair } from '../../../packet/pair.ts'
import type { PairMaker } from '../../../packet/pair-maker.ts'
import type { Rendered } from '../../../packet/values/values.ts'
import { relationshipIdOf } from '../../pairs/relationship-upserts.ts'
import type { IdList } from '../../read/internal-ids.ts'
import type { RelationshipRow } from '../../read/relationship-rows.ts'
import type { Plan } from '../../request/plan.ts'
import type { Chunk } from '../chunk.ts'
import { createIdentityPositions, type IdentityPositions } from './identity-positions.ts'
import { createKeepLists } from './keep-lists.ts'
import { createLaterEntries } from './later-entries.ts'
import { createMarks } from './marks.ts'

/** A relationship read from a targeted node. */
export interface ReadRelationship {
  row: RelationshipRow
  type: RelationshipType
  /** Position among the targets of the node that it was read from. */
  position: number
  /** Position of the far end, if that is another targeted node whose own cleanup covers the relationship too. */
  farPosition: number | null
}

/** Removes relationships that the origin no longer has from a request's targeted nodes. Contract 4.11, 4.12. */
export interface RequestCleanup {
  /**
   * Positions of the targets read so far; null if no cleanup at one end of a relationship could conflict with its
   * upsert at the other end.
   */
  readonly positions: IdentityPositions | null
  /** Called for each chunk before its relationships are read. */
  open(chunk: Chunk): void
  /** Keeps a relationship that was read. @returns false if it must be skipped because it lacks what identifies it. */
  keepRead(relationship: ReadRelationship): boolean
  /** Keeps a relationship that is published. */
  keepPublished(relationship: ReadRelationship, near: Identity, far: Identity): void
  /** Leaves out the cleanups at both ends of a relationship that is skipped: they would delete it. */
  suppress(relationship: ReadRelationship): void
  /** The pair that removes a node's stale relationships of a type; null if there is nothing to remove. Call once. */
  pairFor(position: number, identity: Identity, type: RelationshipType): WrittenPair | 'suppressed' | null
}

const none: RequestCleanup = {
  positions: null,
  open() {},
  keepRead: () => true,
  keepPublished() {},
  suppress() {},
  pairFor: () => null,
}

export function createCleanup(plan: Plan, pairs: PairMaker, targets: IdList): RequestCleanup {
  if (plan.cleanup === 'none') return none
  // Relationships of a type that is followed in one direction are cleaned up at one end only.
  const meets = plan.relationships.some(({ direction }) => direction === 'both')
  const positions = meets ? createIdentityPositions(targets.length) : null
  const suppressed = createMarks()
  const kept = { byFarEnd, byRelationshipId, onlyWhereNoneIsLeft }[plan.cleanup]({
    plan,
    pairs,
    length: targets.length,
    positions,
  })
  return {
    ...{ positions, keepRead: kept.keepRead, keepPublished: kept.keepPublished },
    open({ start, nodes, identities }) {
      for (const [index, node] of nodes.entries()) {
        const identity = identities.get(node)
        if (identity) positions?.add(identity, start + index)
      }
      suppressed.dropBefore(start)
      kept.open(start, start + nodes.length)
    },
    suppress({ position, farPosition, type }) {
      suppressed.add(position, type.type)
      if (farPosition !== null) suppressed.add(farPosition, type.type)
    },
    pairFor: (position, identity, type) =>
      suppressed.has(position, type.type) ? 'suppressed' : kept.pairFor(position, identity, type),
  }
}

/** What a kind of cleanup remembers about the origin's relationships. */
interface Kept extends Pick<RequestCleanup, 'keepRead' | 'keepPublished'> {
  /** Called before the relationships of the nodes from position `start` to `end` (exclusive) are read. */
  open(start: number, end: number): void
  pairFor(position: number, identity: Identity, type: RelationshipType): WrittenPair | null
}

interface Given {
  plan: Plan
  pairs: PairMaker
  /** The number of targeted nodes. */
  length: number
  positions: IdentityPositions | null
}

const typesOf = ({ relationships }: Plan) => relationships.map(({ type }) => type)

/** Keeps the far ends of published relationships. */
function byFarEnd({ plan, pairs, length, positions }: Given): Kept {
  const lists = createKeepLists()
  // The value of an entry is twice the position of the far end, plus one if the relationship comes from there.
  const later = createLaterEntries(length, typesOf(plan), (position, type, value) => {
    const far = (positions as IdentityPositions).at(value >>> 1)
    lists.keepFarEnd(position, type, value & 1 ? 'in' : 'out', far)
  })
  return {
    open(start, end) {
      lists.dropBefore(start)
      later.openUpTo(end)
    },
    keepRead: () => true,
    keepPublished({ row, type: { type }, position, farPosition }, near, far) {
      lists.keepFarEnd(position, type, row.isOutgoing ? 'out' : 'in', far)
      if (farPosition === null) return
      if (later.isLater(farPosition)) later.add(farPosition, type, 2 * position + (row.isOutgoing ? 1 : 0), null)
      else lists.keepFarEnd(farPosition, type, row.isOutgoing ? 'in' : 'out', near)
    },
    pairFor: (position, identity, type) => pairs.cleanup(identity, type, lists.take(position, type.type)),
  }
}

/** Keeps the ids of all relationships. */
function byRelationshipId({ plan, pairs, length }: Given): Kept {
  const field = plan.relationshipIdField as string
  const lists = createKeepLists()
  // The text of an entry is the id's JSON. Its value is the index in this list of the expression that the id needs.
  const expressions: Rendered[] = []
  const later = createLaterEntries(length, typesOf(plan), (position, type, value, text) => {
    lists.keepId(position, type, field, { ...(expressions[value] as Rendered), json: text as string })
  })
  function keepLater(position: number, type: string, { json, wrap, list }: Rendered) {
    const known = expressions.findIndex((expression) => expression.wrap === wrap && expression.list === list)
    const value = known === -1 ? expressions.push({ json: '', wrap, list }) - 1 : known
    later.add(position, type, value, json)
  }
  return {
    open(start, end) {
      lists.dropBefore(start)
      later.openUpTo(end)
    },
    keepRead({ row, type: { type }, position, farPosition }) {
      const id = relationshipIdOf(plan, row.relationship, type, row.properties)
      if (id === null) return false
      lists.keepId(position, type, field, id)
      if (farPosition === null) return true
      if (later.isLater(farPosition)) keepLater(farPosition, type, id)
      else lists.keepId(farPosition, type, field, id)
      return true
    },
    keepPublished() {},
    pairFor: (position, identity, type) => pairs.cleanup(identity, type, lists.take(position, type.type)),
  }
}

/** Removes all relationships of a type at a node, if the origin has none of the type there. */
function onlyWhereNoneIsLeft({ pairs }: Given): Kept {
  const left = createMarks()
  return {
    open: left.dropBefore,
    keepRead({ type: { type }, position, farPosition }) {
      left.add(position, type)
      if (farPosition !== null) left.add(farPosition, type)
      return true
    },
    keepPublished() {},
    pairFor: (position, identity, type) => (left.has(position, type.type) ? null : pairs.cleanup(identity, type, [])),
  }
}
