import type { Identity } from '../../../../packet/identity.ts'
import type { RelationshipType } from '../../../../packet/kinds/cleanup.ts'
import type { WrittenPair } from '../../../../packet/pair.ts'
import type { PairMaker } from '../../../../packet/pair-maker.ts'
import type { Rendered } from '../../../../packet/values/values.ts'
import type { IdList } from '../../../read/internal-ids.ts'
import type { RelationshipRow } from '../../../read/relationship-rows.ts'
import type { Plan } from '../../../request/plan.ts'
import { relationshipIdOf } from '../../pairs/relationship-upserts.ts'
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
  /** Keeps a relationship that is published. `own` is its own id, if the request names its property. */
  keepPublished(relationship: ReadRelationship, near: Identity, far: Identity, own: Rendered | null): void
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
  const kept = { byFarEnd, byFarEndAndId: byFarEnd, byRelationshipId, onlyWhereNoneIsLeft }[plan.cleanup]({
    plan,
    pairs,
    length: targets.length,
    positions,
  })
  return {
    positions,
    keepRead: kept.keepRead,
    keepPublished: kept.keepPublished,
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

/** Keeps the far ends of published relationships, each with the relationship's own id if the request has such ids. */
function byFarEnd({ plan, pairs, length, positions }: Given): Kept {
  const lists = createKeepLists(plan.relationshipIdField)
  const ids = createIdTexts()
  // The value of an entry is twice the position of the far end, plus one if the relationship comes from there.
  const later = createLaterEntries(length, typesOf(plan), (position, type, value, text) => {
    const far = (positions as IdentityPositions).at(value >>> 1)
    lists.keepFarEnd(position, type, value & 1 ? 'in' : 'out', far, text === null ? null : ids.read(text))
  })
  return {
    open(start, end) {
      lists.dropBefore(start)
      later.openUpTo(end)
    },
    keepRead: () => true,
    keepPublished({ row: { isOutgoing }, type: { type }, position, farPosition }, near, far, own) {
      lists.keepFarEnd(position, type, isOutgoing ? 'out' : 'in', far, own)
      if (farPosition === null) return
      if (!later.isLater(farPosition)) lists.keepFarEnd(farPosition, type, isOutgoing ? 'in' : 'out', near, own)
      else later.add(farPosition, type, 2 * position + (isOutgoing ? 1 : 0), own && ids.textOf(own))
    },
    pairFor: (position, identity, type) => pairs.cleanup(identity, type, lists.take(position, type.type)),
  }
}

/** Keeps the ids of all relationships. */
function byRelationshipId({ plan, pairs, length }: Given): Kept {
  const lists = createKeepLists(plan.relationshipIdField)
  const ids = createIdTexts()
  const later = createLaterEntries(length, typesOf(plan), (position, type, _, text) => {
    lists.keepId(position, type, ids.read(text as string))
  })
  return {
    open(start, end) {
      lists.dropBefore(start)
      later.openUpTo(end)
    },
    keepRead({ row, type: { type }, position, farPosition }) {
      const id = relationshipIdOf(plan, row.relationship, type, row.properties)
      if (id === null) return false
      lists.keepId(position, type, id)
      if (farPosition === null) return true
      if (later.isLater(farPosition)) later.add(farPosition, type, 0, ids.textOf(id))
      else lists.keepId(farPosition, type, id)
      return true
    },
    keepPublished() {},
    pairFor: (position, identity, type) => pairs.cleanup(identity, type, lists.take(position, type.type)),
  }
}

/** Turns ids into texts without line breaks: the index of the expression that an id needs, and its JSON. */
function createIdTexts() {
  const expressions: Pick<Rendered, 'wrap' | 'list'>[] = []
  return {
    textOf({ json, wrap, list }: Rendered): string {
      const known = expressions.findIndex((expression) => expression.wrap === wrap && expression.list === list)
      return `${known === -1 ? expressions.push({ wrap, list }) - 1 : known} ${json}`
    },
    read(text: string): Rendered {
      const end = text.indexOf(' ')
      const expression = expressions[Number(text.slice(0, end))] as Pick<Rendered, 'wrap' | 'list'>
      return { ...expression, json: text.slice(end + 1) }
    },
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
