import { hashOfLine, newline } from './lines.ts'
import { createScratch, type Scratch } from './scratch.ts'
import { copyBytes } from './short-bytes.ts'

/** Bytes of the digest of a pair. */
export const digestBytes = 16

const buckets = 256
// The place of an entry in its bucket is the low part of a number whose high part is its hash, of 32 bits.
const placesOfBucket = 2 ** 21

/**
 * Sorts digests and lines of a state, and drops repeated ones. Memory holds a small part of them: they are divided by
 * their first bits into buckets, each of which fits.
 */
export function createSorter() {
  const digests = createScratch(buckets)
  const lines = createScratch(buckets)

  return {
    /** `bytes` has digests from its start on, one after the other. */
    addDigests(bytes: Buffer): void {
      for (let at = 0; at < bytes.length; at += digestBytes)
        digests.add(bytes[at] as number, bytes, at, at + digestBytes)
    },
    /** The line is at the start of `bytes`, with its line feed. `hash`: of its key. */
    addLine(bytes: Buffer, length: number, hash: number): void {
      lines.add(hash >>> 24, bytes, 0, length)
    },
    /** `bytes` has whole lines, each with a line feed. */
    addLines(bytes: Buffer): void {
      for (let at = 0; at < bytes.length; ) {
        const end = bytes.indexOf(newline, at) + 1
        lines.add(hashOfLine(bytes, at) >>> 24, bytes, at, end)
        at = end
      }
    },
    /** What was added, in no order, and perhaps some of it twice: for another sorter. */
    unsortedDigests: () => taken(digests),
    unsortedLines: () => taken(lines),
    /** Sorted digests, a bucket at a time, and no digest twice. */
    takeDigests: () => taken(digests, sortedDigests),
    /** Sorted lines, a bucket at a time, and no line twice. */
    takeLines: () => taken(lines, sortedLines),
    [Symbol.dispose](): void {
      digests[Symbol.dispose]()
      lines[Symbol.dispose]()
    },
  }
}

/** The bytes of each bucket. They are valid until the next ones are asked for. */
function* taken(from: Scratch, sort: (bytes: Buffer, into: Buffer) => Buffer = (bytes) => bytes): Generator<Buffer> {
  const [unsorted, sorted] = [createRoom(), createRoom()]
  for (let bucket = 0; bucket < buckets; bucket++) {
    const bytes = from.take(bucket, unsorted)
    if (bytes.length > 0) yield sort(bytes, sorted(bytes.length))
  }
}

/** Gives one buffer again and again, and a larger one if it is too small. */
function createRoom() {
  let room = Buffer.alloc(0)
  return (bytes: number): Buffer => {
    if (room.length < bytes) room = Buffer.allocUnsafeSlow(bytes + (bytes >>> 1))
    return room.subarray(0, bytes)
  }
}

export type Sorter = ReturnType<typeof createSorter>

/** Places of entries, in the order of their hashes; the function tells the order of two with the same hash. */
function sortedPlaces(hashes: Uint32Array, compare: (a: number, b: number) => number): Uint32Array {
  if (hashes.length > placesOfBucket) return slowlySortedPlaces(hashes, compare)
  const numbers = new Float64Array(hashes.length)
  for (let at = 0; at < hashes.length; at++) numbers[at] = (hashes[at] as number) * placesOfBucket + at
  numbers.sort()
  const places = new Uint32Array(hashes.length)
  for (let at = 0; at < places.length; at++) places[at] = (numbers[at] as number) % placesOfBucket
  const hashAt = (at: number) => hashes[places[at] as number]
  for (let from = 0; from < places.length; ) {
    let to = from + 1
    while (to < places.length && hashAt(to) === hashAt(from)) to++
    if (to - from > 1) places.subarray(from, to).sort(compare)
    from = to
  }
  return places
}

/** The same for more entries than the fast way can number, if very many lines share a key. */
function slowlySortedPlaces(hashes: Uint32Array, compare: (a: number, b: number) => number): Uint32Array {
  return Uint32Array.from(hashes.keys()).sort((a, b) => (hashes[a] as number) - (hashes[b] as number) || compare(a, b))
}

function sortedDigests(bytes: Buffer, into: Buffer): Buffer {
  const count = bytes.length / digestBytes
  const hashes = new Uint32Array(count)
  for (let at = 0; at < count; at++) hashes[at] = bytes.readUInt32BE(at * digestBytes)
  return sorted(bytes, into, hashes, (place) => place * digestBytes)
}

function sortedLines(bytes: Buffer, into: Buffer): Buffer {
  const starts: number[] = []
  for (let at = 0; at < bytes.length; at = bytes.indexOf(newline, at) + 1) starts.push(at)
  const hashes = Uint32Array.from(starts, (at) => hashOfLine(bytes, at))
  return sorted(bytes, into, hashes, (place) => starts[place] ?? bytes.length)
}

/** Writes entries in the order of their hashes, then of their bytes, and none twice. `startOf`: where each begins. */
function sorted(bytes: Buffer, into: Buffer, hashes: Uint32Array, startOf: (place: number) => number): Buffer {
  const compare = (a: number, b: number) => bytes.compare(bytes, startOf(b), startOf(b + 1), startOf(a), startOf(a + 1))
  let length = 0
  let last = -1
  for (const place of sortedPlaces(hashes, compare)) {
    if (last !== -1 && hashes[last] === hashes[place] && compare(last, place) === 0) continue
    length += copyBytes(bytes, startOf(place), startOf(place + 1), into, length)
    last = place
  }
  return into.subarray(0, length)
}
