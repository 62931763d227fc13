import { hash } from 'node:crypto'
import { type StatementKind, statementKinds } from '../../packet/kinds/statement.ts'
import { pairEnd } from '../../packet/pair.ts'
import type { SealedPart } from '../../packet/parts/packet-writer.ts'
import type { Origin } from '../origin/connect.ts'
import type { InternalId } from '../read/internal-ids.ts'
import { hasUniqueness, readIndexes } from '../read/schema.ts'
import { shown } from '../validation/issues.ts'
import { createMaskTally } from './mask-tally.ts'
import type { BuildObserver, Unpublishable } from './write/observer.ts'

/** What backs the id property of a label at an origin. */
interface OriginIndex {
  /** The `originName` of the origin. */
  origin: string
  label: string
  property: string
  kind: 'UNIQUE' | 'INDEX' | 'NONE' | 'UNKNOWN'
}

/** The longest id of a label that an index of some target cannot hold. */
export interface LongId {
  label: string
  property: string
  bytes: number
}

/** Bytes of a string that an index of Neo4j 5 and later, or of Neo4j 3.5, can hold; measured with 5.26 and 3.5.35. */
export const [indexBytes, legacyIndexBytes] = [8_164, 4_036]
const longIdsKept = 50

/** Thrown into the build if more elements are unpublishable than the tally may remember. */
export class TooMuchUnpublishable extends Error {}

const unpublishableShown = 100
/**
 * Relationship types that a dry run counts one by one. Beyond this limit the dry run counts them as
 * `otherRelationships`.
 */
const typesCounted = 1_000
/**
 * Characters of a relationship type that a dry run counts. Beyond this limit the dry run counts the type as
 * `otherRelationships`.
 */
const longestType = 200
const sampled = 10
/** Bytes of a pair in the sample of a dry run. Beyond this limit the sample omits the pair. */
const largestSampled = 8 * 1024
const end = pairEnd(null)

/** Counts what a build makes, and keeps only a sample of it. Its memory does not depend on the packet's size. */
export function createTally(unpublishableAtMost: number) {
  const statements = Object.fromEntries(statementKinds.map((kind) => [kind, 0])) as Record<StatementKind, number>
  const nodes = { origin: 0, targeted: 0, farEnds: 0 }
  const types = new Map<string, number>()
  let otherRelationships = 0
  const known = new Set<string>()
  const first: Unpublishable[] = []
  const firstOfKind = new Map<StatementKind, string>()
  const others: string[] = []
  const indexes = new Map<string, OriginIndex>()
  const longIds = new Map<string, LongId>()
  const indexesOf = new WeakMap<Origin, ReturnType<typeof readIndexes>>()
  let largestPair: { bytes: number; about: string } | null = null
  let farEnds = new Set<InternalId>()
  const sealed = { pairs: 0, parts: 0, bytes: 0 }
  // The part that is being filled, without its metadata.
  let open = { pairs: 0, bytes: 0 }

  const masks = createMaskTally()

  const observer: BuildObserver = {
    masked: masks.masked,
    pair(text, kind, description) {
      const bytes = text.length + end.length
      open = { pairs: open.pairs + 1, bytes: open.bytes + bytes + 1 }
      statements[kind]++
      if (bytes > (largestPair?.bytes ?? 0)) {
        largestPair = { bytes, about: shown(typeof description === 'string' ? description : description()) }
      }
      const isFirst = !firstOfKind.has(kind)
      if (bytes > largestSampled || (!isFirst && others.length === sampled)) return
      if (isFirst) firstOfKind.set(kind, `${text}${end}`)
      else others.push(`${text}${end}`)
    },
    selected({ origin, targeted }) {
      nodes.origin += origin
      nodes.targeted += targeted
      farEnds = new Set()
    },
    relationship(type) {
      const count = types.get(type)
      if (count === undefined && (types.size === typesCounted || type.length > longestType)) otherRelationships++
      else types.set(type, (count ?? 0) + 1)
    },
    farEnd(node) {
      if (farEnds.has(node)) return
      farEnds.add(node)
      nodes.farEnds++
    },
    unpublishable(origin, it) {
      const key = hash('sha256', JSON.stringify([origin, it.element, it.reason]), 'base64')
      if (known.has(key)) return
      if (known.size === unpublishableAtMost) throw new TooMuchUnpublishable()
      known.add(key)
      if (first.length < unpublishableShown) first.push(shortened(it))
    },
    identified({ label, idProperty, id }) {
      // A character has at most three bytes for each of its units in the text.
      if (id.json.length <= legacyIndexBytes / 3) return
      const value: unknown = id.wrap === null ? JSON.parse(id.json) : null
      const bytes = typeof value === 'string' ? Buffer.byteLength(value) : 0
      if (bytes <= legacyIndexBytes) return
      const key = JSON.stringify([label, idProperty])
      const known = longIds.get(key)
      if (known === undefined && longIds.size === longIdsKept) return
      if (bytes > (known?.bytes ?? 0)) longIds.set(key, { label, property: idProperty, bytes })
    },
    async written({ origin: name, index, originIds }, { origin, uniqueness }) {
      const add = async (label: string, property: string, isUnique: () => Promise<boolean>) => {
        const key = JSON.stringify([name, label, property])
        if (indexes.has(key)) return
        const kind = (await isUnique()) ? 'UNIQUE' : await indexOf(origin, label, property)
        indexes.set(key, { origin: name, label, property, kind })
      }
      for (const { label, idProperty, isGuaranteed } of uniqueness.kinds()) {
        await add(label, idProperty, async () => isGuaranteed)
      }
      const { label, idProperty } = index
      if (originIds.length > 0) await add(label, idProperty, () => hasUniqueness(origin, label, idProperty))
    },
  }

  async function indexOf(origin: Origin, label: string, property: string): Promise<OriginIndex['kind']> {
    const reading = indexesOf.get(origin) ?? readIndexes(origin, 'NODE')
    indexesOf.set(origin, reading)
    const found = await reading
    if (found === null) return 'UNKNOWN'
    return found.some((one) => one.of === label && one.property === property) ? 'INDEX' : 'NONE'
  }

  return {
    observer,
    async sink({ bytes, pairs, statements: { postback = 0 } }: SealedPart): Promise<void> {
      sealed.pairs += pairs
      sealed.bytes += bytes.length
      sealed.parts++
      statements.postback += postback
      open = { pairs: 0, bytes: 0 }
    },
    /** What was made so far. This includes a part that is not sealed yet, but not its metadata. */
    size: () => ({
      pairs: sealed.pairs + open.pairs,
      parts: sealed.parts + (open.pairs > 0 ? 1 : 0),
      bytes: sealed.bytes + open.bytes,
    }),
    read: () => ({
      statements,
      nodes,
      relationships: Object.fromEntries(types),
      ...(otherRelationships > 0 ? { otherRelationships } : {}),
      largestPair,
      unpublishable: { count: known.size, first },
    }),
    masking: masks.read,
    originIndexes: () => [...indexes.values()],
    longIds: () => [...longIds.values()],
    /** Pairs as JSON, one of each kind first. */
    sample: () => [...firstOfKind.values(), ...others].slice(0, sampled),
  }
}

/** Shortens the texts, because names at an origin may be long. */
const shortened = (it: Unpublishable): Unpublishable =>
  JSON.parse(JSON.stringify(it), (_, value) => (typeof value === 'string' ? shown(value) : value))
