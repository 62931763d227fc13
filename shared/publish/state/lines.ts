import { byCodePoint } from '../../../packet/cypher/identifiers.ts'
import * as errors from '../../errors/catalogue.ts'

/** The lines of a state are sorted by a hash of their key, then by their text: see `hashOfLine`. */
export const [newline, tab] = [0x0a, 0x09]

/** A hash of the key of a line, given by its bytes from `at` on: a whole number of 32 bits. The key ends at a tab, or with the line. */
export function hashOfLine(bytes: Buffer, at: number): number {
  let hash = 0x811c9dc5
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === newline || byte === tab) break
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
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

/** Groups sorted lines, given by the bytes of some whole lines after the other. */
export async function* groupsOf(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Group> {
  let group = null as Group | null
  for await (const bytes of chunks) {
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(newline, at)
      const line = bytes.toString('utf8', at, end)
      const divided = line.indexOf('\t')
      const key = divided === -1 ? line : line.slice(0, divided)
      const payload = divided === -1 ? null : line.slice(divided + 1)
      if (group?.key === key) {
        if (group.payloads.push(payload) > mostPayloads)
          throw errors.undeletable(`more than ${mostPayloads} of one key`)
      } else {
        if (group) yield group
        group = { hash: hashOfLine(bytes, at), key, payloads: [payload] }
      }
      at = end + 1
    }
  }
  if (group) yield group
}

const isBefore = (a: Group, b: Group) => a.hash < b.hash || (a.hash === b.hash && byCodePoint(a.key, b.key) < 0)

/** The groups of two states, side by side: the groups of one key together, with null where a state lacks it. */
export async function* sideBySide(
  first: AsyncIterator<Group>,
  second: AsyncIterator<Group>,
): AsyncGenerator<readonly [Group | null, Group | null]> {
  let [a, b] = [(await first.next()).value as Group | undefined, (await second.next()).value as Group | undefined]
  while (a || b) {
    const takesA = a !== undefined && (b === undefined || !isBefore(b, a))
    const takesB = b !== undefined && (a === undefined || !isBefore(a, b))
    yield [takesA ? (a as Group) : null, takesB ? (b as Group) : null]
    if (takesA) a = (await first.next()).value
    if (takesB) b = (await second.next()).value
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
