import { canStartName, longestKeyBytes } from '../../../packet/names.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import { generationsBelow, generationsOf, parseGenerationKey, parseMarkerKey } from '../keys.ts'
import { hasExpired } from '../manifest.ts'
import { type Cursor, commonStart, openCursor } from './cursor.ts'

/** A packet, removed or not, as far as its keys describe it. */
export interface ListedPacket {
  name: string
  /** Its latest generation. */
  generation: number
  /** The key of that generation's manifest. */
  manifestKey: string
  /** Number of parts that readers see according to the marker, 0 for none; null without one, or if several disagree. */
  parts: number | null
  /** When it expires according to the marker; absent: never. */
  expiresAt?: string | undefined
}

// Enough for the latest generation and its marker, with some to spare.
const leastKeys = 10
const mostKeys = 1_000

/** Most packets read, and names checked, in one batch. */
export const mostTogether = 495

/** Number of keys that typically covers this many packets. */
export const keysFor = (packets: number) => Math.min(leastKeys + 2 * packets, mostKeys)

/** Looks up packets by name, including removed ones. Names that sort close together share a request. */
export async function packetsNamed(store: ObjectStore, names: Iterable<string>): Promise<Map<string, ListedPacket>> {
  const found = new Map<string, ListedPacket>()
  const starts = [...new Set(names)].map(generationsOf).sort(store.compareKeys)
  const cursor = openCursor(store, commonStart(starts), keysFor(starts.length))
  for (const start of starts) {
    const packet = await nextPacket(store, cursor, start, start)
    if (packet) found.set(packet.name, packet)
  }
  return found
}

/** The first packet at or after a key of the hidden directory, if its keys start with `within`. */
async function nextPacket(
  store: ObjectStore,
  cursor: Cursor,
  from: string,
  within: string,
): Promise<ListedPacket | null> {
  let latest: ListedPacket | null = null
  let markers = 0
  const isNext = (key: string) => key.startsWith(latest === null ? within : generationsOf(latest.name))
  for (let object = await cursor.seek(from); object !== null && isNext(object.key); object = await cursor.next()) {
    const { key } = object
    const marker = parseMarkerKey(key)
    const parsed = parseGenerationKey(key)
    if (latest === null) {
      if (parsed !== null) latest = { ...parsed, manifestKey: key, parts: null }
      continue
    }
    if (marker?.manifestKey !== latest.manifestKey) break
    const isOnly = ++markers === 1
    latest.parts = isOnly ? (hasExpired(marker, store.now()) ? 0 : marker.parts) : null
    latest.expiresAt = isOnly ? marker.expiresAt : undefined
  }
  return latest
}

/**
 * Whether a name's key sorts after the keys of longer names that continue with `rest`. Only then does key order differ
 * from name order: the generations of `f-1` (`f-1/.…`) come before the generations of `f` (`f/.…`).
 */
const keyIsBehind = (rest: string) => rest < '/.'

/** Possible names that are proper prefixes of `name`, start with `start` and pass `isWanted`. */
function namesBefore(name: string, start: string, isWanted: (rest: string) => boolean): string[] {
  const found: string[] = []
  for (let length = start.length; length < Math.min(name.length, longestKeyBytes); length++) {
    const shorter = name.slice(0, length)
    if (isWanted(name.slice(length)) && !shorter.endsWith('/') && canStartName(shorter)) found.push(shorter)
  }
  return found
}

export interface OrderedPackets {
  /** Prefix of all names. */
  start: string
  /** Where to begin. Includes packets with shorter names whose parts may sort after it. */
  from: string
  /** Packets read in the first batch; each further batch has twice as many. */
  packets: number
}

/**
 * Packets in name order, which is not always key order. After a batch, each remaining name sorts after the last one or
 * is a prefix of it; these few prefixes are looked up separately.
 */
export async function* packetsInOrder(
  store: ObjectStore,
  cursor: Cursor,
  { start, from, packets }: OrderedPackets,
): AsyncGenerator<ListedPacket[]> {
  const askedFor = new Set<string>()
  const inOrder = (found: ListedPacket[]) => found.sort((a, b) => store.compareKeys(a.name, b.name))
  async function ask(names: readonly string[]): Promise<ListedPacket[]> {
    for (const name of names) askedFor.add(name)
    return inOrder([...(await packetsNamed(store, names)).values()])
  }

  const within = generationsBelow(start)
  // Parts are named `<name>Part` and a digit, so `:` sorts after all of them.
  const reaches = (rest: string) => rest < 'Part:'
  yield await ask(namesBefore(from, start, reaches))
  let batch = packets
  for (let next = generationsBelow(from), isOver = false; !isOver; batch = Math.min(2 * batch, mostTogether)) {
    const read: ListedPacket[] = []
    let last: ListedPacket | null = null
    for (let count = 0; count < batch; count++) {
      last = await nextPacket(store, cursor, next, within)
      if (last === null) break
      next = `${generationsOf(last.name)}:`
      if (!askedFor.delete(last.name)) read.push(last)
    }
    isOver = last === null
    if (last)
      read.push(...(await ask(namesBefore(last.name, start, keyIsBehind).filter((name) => !askedFor.has(name)))))
    yield inOrder(read)
  }
}
