import type { Rendered } from '../../../cypher/values.ts'
import { enlarged, type IdList, type InternalId } from '../../read/internal-ids.ts'
import type { Plan } from '../../request/plan.ts'
import type { IdentityPositions } from './identity-positions.ts'
import { anyId, type KeepLists } from './keep-lists.ts'

/**
 * Entries for neighbouring nodes, in insertion order. An entry is two words. The first packs the node's offset in the
 * bucket (7 bits), what is kept (2) and the index of the type (23: no request has room for more types). The second is
 * the position of the far end, or the index of the expression that the id needs.
 */
interface Bucket {
  words: Uint32Array
  count: number
  /** The JSON of relationship ids, one per line. */
  lines: Buffer
  lineBytes: number
}

const bucketSize = 128
const kept = ['out', 'in', 'id'] as const
const [keptBits, typeBits] = [2, 23]
const lowest = (bits: number) => (1 << bits) - 1

/**
 * Buffers the keep-list entries of targeted nodes that are not read yet, until these are read: eight bytes per
 * relationship plus, where ids are kept, the text of its id. A request over very many nodes holds half of its
 * relationships here at some time.
 * @param nodes the targeted nodes.
 * @param identities those of the nodes read so far.
 * @param lists receives the entries when their nodes are read.
 */
export function createLaterKeepLists(
  { relationships, relationshipIdField }: Pick<Plan, 'relationships' | 'relationshipIdField'>,
  nodes: IdList,
  identities: IdentityPositions,
  lists: KeepLists,
) {
  const types = relationships.map(({ type }) => type)
  const indexOfType = new Map(types.map((type, index) => [type, index]))
  const buckets = new Array<Bucket | undefined>(Math.ceil(nodes.length / bucketSize))
  const expressions: Rendered[] = []
  const some = createMarks(nodes.length)
  const suppressed = createMarks(nodes.length)
  let opened = 0
  let last: { far: InternalId; position: number } | null = null

  function add(position: number, what: (typeof kept)[number], type: string, value: number): Bucket {
    const index = Math.floor(position / bucketSize)
    const bucket = buckets[index] ?? { words: new Uint32Array(32), count: 0, lines: Buffer.alloc(0), lineBytes: 0 }
    buckets[index] = bucket
    const { words, count } = bucket
    if (count === words.length) bucket.words = enlarged(words, new Uint32Array(2 * count))
    const upper = ((position % bucketSize) << keptBits) | kept.indexOf(what)
    bucket.words[count] = (upper << typeBits) | (indexOfType.get(type) as number)
    bucket.words[count + 1] = value
    bucket.count += 2
    return bucket
  }

  /** Moves the entries of the bucket that begins at this position to the keep-lists. */
  function empty({ words, count, lines, lineBytes }: Bucket, start: number) {
    const neighbours = nodes.slice(start, start + bucketSize)
    const ids = lines.toString('utf8', 0, lineBytes).split('\n').values()
    for (let at = 0; at < count; at += 2) {
      const [packed, value] = [words[at] as number, words[at + 1] as number]
      const upper = packed >>> typeBits
      const node = neighbours[upper >>> keptBits] as InternalId
      const what = kept[upper & lowest(keptBits)] as (typeof kept)[number]
      const type = types[packed & lowest(typeBits)] as string
      if (what === 'id') {
        const json = ids.next().value as string
        lists.keepId(node, type, relationshipIdField ?? '', { ...(expressions[value] as Rendered), json })
      } else lists.keepFarEnd(node, type, what, identities.at(value))
    }
  }

  function open(start: number) {
    const index = start / bucketSize
    const bucket = buckets[index]
    if (bucket) empty(bucket, start)
    buckets[index] = undefined
    const nodeAt = (position: number) => nodes.slice(position, position + 1)[0] as InternalId
    for (const [position, type] of some.between(start, start + bucketSize)) {
      lists.keepId(nodeAt(position), type, '', anyId)
    }
    for (const [position, type] of suppressed.between(start, start + bucketSize)) {
      lists.suppressCleanup(nodeAt(position), type)
    }
  }

  return {
    /** Whether entries of the node at this position must be buffered here, not added to the keep-lists directly. */
    isLater: (position: number): boolean => position >= opened,
    /** Like `KeepLists.keepFarEnd`; `far` is a published targeted node that was already read. */
    keepFarEnd(position: number, type: string, direction: 'out' | 'in', far: InternalId): void {
      // Relationships are read node by node, so `far` rarely changes.
      if (last?.far !== far) last = { far, position: nodes.positionOf(far) }
      add(position, direction, type, last.position)
    },
    /** Like `KeepLists.keepId`. */
    keepId(position: number, type: string, { json, wrap, list }: Rendered): void {
      let expression = expressions.findIndex((known) => known.wrap === wrap && known.list === list)
      if (expression === -1) expression = expressions.push({ json: '', wrap, list }) - 1
      const bucket = add(position, 'id', type, expression)
      const atMost = bucket.lineBytes + 3 * json.length + 1
      if (atMost > bucket.lines.length) bucket.lines = enlarged(bucket.lines, Buffer.alloc(2 * atMost))
      bucket.lineBytes += bucket.lines.write(`${json}\n`, bucket.lineBytes)
    },
    /** Like `KeepLists.keepId`, with a placeholder id. */
    keepSome: some.add,
    /** Like `KeepLists.suppressCleanup`. */
    suppressCleanup: suppressed.add,
    /** Moves the entries of all nodes before this position, and of some that follow, to the keep-lists. */
    openUpTo(end: number): void {
      for (; opened < end; opened += bucketSize) open(opened)
    },
  }
}

export type LaterKeepLists = ReturnType<typeof createLaterKeepLists>

/** One bit per node and type. */
function createMarks(length: number) {
  const bitsOf = new Map<string, Uint8Array>()
  return {
    add(position: number, type: string): void {
      const bits = bitsOf.get(type) ?? new Uint8Array(Math.ceil(length / 8))
      bitsOf.set(type, bits)
      bits[position >>> 3] = (bits[position >>> 3] as number) | (1 << (position & 7))
    },
    /** The marks from position `start` to `end` (exclusive). */
    *between(start: number, end: number): Generator<[position: number, type: string]> {
      for (const [type, bits] of bitsOf) {
        for (let position = start; position < end; position++) {
          if ((bits[position >>> 3] ?? 0) & (1 << (position & 7))) yield [position, type]
        }
      }
    },
  }
}
