import { byCodePoint } from '../../../packet/cypher/identifiers.ts'
import * as errors from '../../errors/catalogue.ts'

/** The lines of a state are sorted by a hash of their key, then by their text: see `hashOfLine`. */
export const [newline, tab] = [0x0a, 0x09]

const firstHash = 0x811c9dc5

/** A hash of the key of a line, given by its bytes from `at` on: a whole number of 32 bits. The key ends at a tab, or with the line. */
export const hashOfLine = (bytes: Buffer, at: number): number => mixed(hashedFrom(firstHash, bytes, at))

/** Hashes keys that differ in one piece only. */
export function hashesOfKeys(before: Buffer, after: Buffer): (between: Buffer) => number {
  const begun = hashedFrom(firstHash, before, 0)
  return (between) => mixed(hashedFrom(hashedFrom(begun, between, 0), after, 0))
}

function hashedFrom(hash: number, bytes: Buffer, at: number): number {
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === newline || byte === tab) break
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return hash
}

function mixed(hash: number): number {
  // FNV-1a leaves the highest bits of short texts alike; these decide the order.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Everything that a state says of one key. A payload is null if the line is the key alone. */
export interface Group {
  hash: number
  key: string
  payloads: (string | null)[]
}

/**
 * Lines of one key that are compared, such as those of parallel relationships. Beyond this limit the publish fails with
 * `422 undeletable`: they are kept in memory.
 */
const mostPayloads = 1_000_000

type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>

/** Reads sorted lines, of which each chunk has whole ones, and all those of a key. */
function createCursor(chunks: Chunks) {
  const rest = (async function* () {
    yield* chunks
  })()
  const cursor = {
    bytes: Buffer.alloc(0),
    /** Where the next line begins in `bytes`. */
    at: 0,
    /** Makes the next line stand in `bytes`. @returns whether there is one */
    async hasNext(): Promise<boolean> {
      while (cursor.at === cursor.bytes.length) {
        const { done, value } = await rest.next()
        if (done) return false
        Object.assign(cursor, { bytes: value, at: 0 })
      }
      return true
    },
    /** Reads the lines of the next key. */
    next(): Group {
      const group = { hash: hashOfLine(cursor.bytes, cursor.at), ...readLine() }
      while (cursor.at < cursor.bytes.length) {
        const { at } = cursor
        const { key, payloads } = readLine()
        if (key !== group.key) {
          cursor.at = at
          break
        }
        if (group.payloads.push(...payloads) > mostPayloads)
          throw errors.undeletable(`more than ${mostPayloads} of one key`)
      }
      return group
    },
    /** Ends what makes the chunks: it may still be storing some of them when the comparison fails. */
    async [Symbol.asyncDispose](): Promise<void> {
      await rest.return(undefined)
    },
  }

  function readLine(): Pick<Group, 'key' | 'payloads'> {
    const { bytes, at } = cursor
    const end = bytes.indexOf(newline, at)
    cursor.at = end + 1
    const line = bytes.toString('utf8', at, end)
    const divided = line.indexOf('\t')
    return divided === -1
      ? { key: line, payloads: [null] }
      : { key: line.slice(0, divided), payloads: [line.slice(divided + 1)] }
  }

  return cursor
}

type Cursor = ReturnType<typeof createCursor>

/** Passes lines that both have, and that are the only ones of their keys: most of them, as a rule. */
function passEqual(a: Cursor, b: Cursor): void {
  for (;;) {
    let length = 0
    let keyLength = -1
    for (; ; length++) {
      const byte = a.bytes[a.at + length]
      if (byte === undefined || byte !== b.bytes[b.at + length]) return
      if (keyLength === -1 && (byte === tab || byte === newline)) keyLength = length
      if (byte === newline) break
    }
    length++
    if (hasKeyAt(a, length, keyLength) || hasKeyAt(b, length, keyLength)) return
    a.at += length
    b.at += length
  }
}

/** Whether the line `length` bytes further has the key of the next one. */
function hasKeyAt({ bytes, at }: Cursor, length: number, keyLength: number): boolean {
  const after = bytes[at + length + keyLength]
  if (after !== tab && after !== newline) return false
  return bytes.compare(bytes, at + length, at + length + keyLength, at, at + keyLength) === 0
}

const isBefore = (a: Group, b: Group) => a.hash < b.hash || (a.hash === b.hash && byCodePoint(a.key, b.key) < 0)

/**
 * What two states say of each key, side by side, with null where a state lacks it. Keys of which both have the same line,
 * and no other, are mostly left out. Each chunk has whole sorted lines, and all those of a key.
 */
export async function* differences(
  first: Chunks,
  second: Chunks,
): AsyncGenerator<readonly [Group | null, Group | null]> {
  await using a = createCursor(first)
  await using b = createCursor(second)
  let [groupA, groupB] = [null as Group | null, null as Group | null]
  for (;;) {
    if (groupA === null && groupB === null && (await a.hasNext()) && (await b.hasNext())) passEqual(a, b)
    if (groupA === null && (await a.hasNext())) groupA = a.next()
    if (groupB === null && (await b.hasNext())) groupB = b.next()
    if (groupA === null && groupB === null) return
    const takesA = groupA !== null && (groupB === null || !isBefore(groupB, groupA))
    const takesB = groupB !== null && (groupA === null || !isBefore(groupA, groupB))
    yield [takesA ? groupA : null, takesB ? groupB : null]
    if (takesA) groupA = null
    if (takesB) groupB = null
  }
}

const [equals, letterN, letterR, letterS] = [0x3d, 0x6e, 0x72, 0x73]

/** How many nodes and relationships sorted lines are about. Lines of one key are all in these bytes. */
export function countElements(bytes: Buffer): { nodes: number; relationships: number } {
  const counts = { nodes: 0, relationships: 0 }
  let lastKey = { at: 0, end: 0 }
  let nextTab = -1
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(newline, at)
    if (nextTab < at) nextTab = bytes.indexOf(tab, at)
    if (nextTab === -1) nextTab = bytes.length
    const keyEnd = Math.min(nextTab, end)
    const payload = keyEnd === end ? null : bytes[keyEnd + 1]
    const kind = bytes[at + 2]
    if (kind === letterN && (payload === null || payload === equals)) {
      const isSame = bytes.compare(bytes, lastKey.at, lastKey.end, at, keyEnd) === 0
      if (!isSame) counts.nodes++
      lastKey = { at, end: keyEnd }
    }
    if (kind === letterR && payload !== letterS) counts.relationships++
    at = end + 1
  }
  return counts
}
