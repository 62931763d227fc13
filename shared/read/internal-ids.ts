import type { Cursor } from '../../packet/packstream/cursor.ts'
import * as errors from '../errors/catalogue.ts'

/**
 * The origin's internal id of a node or relationship, stable within one read transaction: a number if a float holds it
 * exactly, else its decimal digits. The block format numbers relationships from 2^60 on, where floats step by 256.
 */
export type InternalId = number | string

/** Converts an integer to an internal id. */
export const toInternalId = (id: bigint): InternalId => (id < BigInt(firstInexact) ? Number(id) : String(id))

/** The first integer that shares its float with another. */
const firstInexact = 2 ** 53

/** Reads an id, as `id()` returns it. @throws originBroke (502) if it is not an integer */
export function readInternalId(cursor: Cursor): InternalId {
  const id = cursor.whole()
  return typeof id === 'number' ? id : String(id)
}

export const asInteger = (id: InternalId) => BigInt(id)

/** Begins a query about nodes by their ids, given as `$ids`. Numbers go as floats, which the driver writes fast. */
export const eachNode = 'UNWIND [i IN $ids | toInteger(i)] AS i MATCH (n) WHERE id(n) = i'

/**
 * Begins a query about relationships by their ids, given as `$ids`, and their ends `s` and `e`. It has no UNWIND: for
 * few nodes with very many relationships, Neo4j would plan a scan of all of them for each id.
 */
export const eachRelationship =
  'WITH [i IN $ids | toInteger(i)] AS ids MATCH (s)-[r]->(e) WHERE id(r) IN ids WITH r, s, e'

/** Ascending order of ids. */
export function byId(a: InternalId, b: InternalId): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [one, other] = [BigInt(a), BigInt(b)]
  return one < other ? -1 : one > other ? 1 : 0
}

export type IdList = ReturnType<typeof sortedList>

/**
 * Elements that one request lists. Beyond this limit the answer is `413 tooManyListed`: an origin that sends more may
 * never end.
 */
export const mostListed = 20_000_000

/** Collects ids without an object per id. The caller adds each id once. @throws tooManyListed (413) */
export function collectIds(): { add(id: InternalId): void; list(): IdList } {
  let small = new Float64Array(1_024)
  let count = 0
  let large = new BigInt64Array(0)
  let largeCount = 0
  return {
    add(id) {
      if (count + largeCount === mostListed) throw errors.tooManyListed(mostListed)
      if (typeof id === 'number') {
        if (count === small.length) small = enlarged(small, new Float64Array(2 * count))
        small[count++] = id
      } else {
        if (largeCount === large.length) large = enlarged(large, new BigInt64Array(Math.max(1_024, 2 * largeCount)))
        large[largeCount++] = BigInt(id)
      }
    },
    list: () => sortedList(small.slice(0, count).sort(), large.slice(0, largeCount).sort()),
  }
}

export function listIds(ids: Iterable<InternalId>): IdList {
  const collected = collectIds()
  for (const id of ids) collected.add(id)
  return collected.list()
}

/** The list without repetitions; mostly the same list. */
export function distinctIds(list: IdList): IdList {
  const distinct = new Set(list.slice(0, list.length))
  return distinct.size === list.length ? list : listIds(distinct)
}

/** Copies the values into a larger array. */
export function enlarged<T extends Float64Array | BigInt64Array | Uint32Array | Buffer>(full: T, larger: T): T {
  larger.set(full as never)
  return larger
}

/**
 * Ids in ascending order, eight bytes each: a million of them take 8 MB, and a look-up takes twenty steps. Every number
 * id is less than every string id.
 */
function sortedList(small: Float64Array, large: BigInt64Array) {
  return {
    length: small.length + large.length,
    /** The ids from position `start` to `end` (exclusive). */
    slice: (start: number, end: number): InternalId[] => [
      ...small.subarray(start, end),
      ...Array.from(large.subarray(Math.max(0, start - small.length), Math.max(0, end - small.length)), String),
    ],
    /** The position of an id; -1 if it is not in the list. */
    positionOf(id: InternalId): number {
      if (typeof id === 'number') return find(small, id)
      const found = find(large, BigInt(id))
      return found === -1 ? -1 : small.length + found
    },
  }
}

function find<T extends number | bigint>(sorted: { length: number; [index: number]: T }, id: T): number {
  let [low, high] = [0, sorted.length - 1]
  while (low <= high) {
    const middle = (low + high) >>> 1
    const at = sorted[middle] as T
    if (at === id) return middle
    if (at < id) low = middle + 1
    else high = middle - 1
  }
  return -1
}
