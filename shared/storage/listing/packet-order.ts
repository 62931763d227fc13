import { inBatches } from '../batches.ts'
import { generationsBelow, generationsOf, parseGenerationKey, parseMarkerKey } from '../keys.ts'
import { canStartName, longestKeyBytes } from '../names.ts'
import type { ObjectStore } from '../object-store.ts'
import { type Cursor, commonStart, openCursor } from './cursor.ts'

/** A packet as keys tell of it, be it removed or not. */
export interface ListedPacket {
  name: string
  /** Its latest generation. */
  generation: number
  /** The key of that one's manifest. */
  manifestKey: string
  /** How many parts readers see, 0 for none, as the marker says; null without one. */
  parts: number | null
}

// The latest generation and its marker, with some to spare.
const leastKeys = 10
const mostKeys = 1_000

/** How many keys hold so many packets, as a rule. */
export const keysFor = (packets: number) => Math.min(leastKeys + 2 * packets, mostKeys)

/** The packets of these names, removed ones too. Names that lie close together take one request. */
export async function packetsNamed(store: ObjectStore, names: Iterable<string>): Promise<Map<string, ListedPacket>> {
  const found = new Map<string, ListedPacket>()
  const starts = [...new Set(names)].map(generationsOf).sort(store.compareKeys)
  const cursor = openCursor(store, commonStart(starts), keysFor(starts.length))
  for (const start of starts) {
    const packet = await nextPacket(cursor, start, start)
    if (packet) found.set(packet.name, packet)
  }
  return found
}

/** The first packet at or after a key of the hidden directory, if its keys start with `within`. */
async function nextPacket(cursor: Cursor, from: string, within: string): Promise<ListedPacket | null> {
  let latest: ListedPacket | null = null
  let isEarlier = true
  const isNext = (key: string) => key.startsWith(latest === null ? within : generationsOf(latest.name))
  for (let object = await cursor.seek(from); object !== null && isNext(object.key); object = await cursor.next()) {
    const { key } = object
    const marker = parseMarkerKey(key)
    const parsed = parseGenerationKey(key)
    if (latest !== null && marker?.manifestKey === latest.manifestKey) latest.parts = marker.parts
    // Those that an earlier version of this service named are in ascending order.
    if (isEarlier && parsed !== null) {
      latest = { name: parsed.name, generation: parsed.generation, manifestKey: key, parts: null }
      isEarlier = parsed.isEarlier
    } else if (latest !== null && !isEarlier) break
  }
  return latest
}

/**
 * Is the key of a name behind those of longer names that go on with `rest`? Only then does the order of keys differ from
 * that of names: the generations of `f-1` (`f-1/.…`) come before those of `f` (`f/.…`).
 */
const keyIsBehind = (rest: string) => rest < '/.'

/** The names that `name` starts with, itself not among them, and which start with `start`: those that pass a test. */
function namesBefore(name: string, start: string, isWanted: (rest: string) => boolean): string[] {
  const found: string[] = []
  for (let length = start.length; length < Math.min(name.length, longestKeyBytes); length++) {
    const shorter = name.slice(0, length)
    if (isWanted(name.slice(length)) && !shorter.endsWith('/') && canStartName(shorter)) found.push(shorter)
  }
  return found
}

export interface OrderedPackets {
  /** What the names start with. */
  start: string
  /** Where to begin: also shorter names whose parts come after it are given. */
  from: string
  /** How many packets are read at a time. */
  packets: number
}

/**
 * Packets in the order of their names, which is not always that of their keys. After some were read, each of those to
 * come is behind the last one, or a name that the last one starts with: these few are asked for by themselves.
 */
export async function* packetsInOrder(
  store: ObjectStore,
  cursor: Cursor,
  { start, from, packets }: OrderedPackets,
): AsyncGenerator<ListedPacket[]> {
  const askedFor = new Set<string>()
  async function ask(names: readonly string[]): Promise<ListedPacket[]> {
    for (const name of names) askedFor.add(name)
    return (await inBatches(names, async (name) => [...(await packetsNamed(store, [name])).values()])).flat()
  }

  const within = generationsBelow(start)
  // Parts are named `<name>Part…`, so `:` is behind all of them.
  const reaches = (rest: string) => rest < 'Part:'
  yield await ask(namesBefore(from, start, reaches))
  for (let next = generationsBelow(from), isOver = false; !isOver; ) {
    const read: ListedPacket[] = []
    let last: ListedPacket | null = null
    for (let count = 0; count < packets; count++) {
      last = await nextPacket(cursor, next, within)
      if (last === null) break
      next = `${generationsOf(last.name)}:`
      if (!askedFor.delete(last.name)) read.push(last)
    }
    isOver = last === null
    if (last)
      read.push(...(await ask(namesBefore(last.name, start, keyIsBehind).filter((name) => !askedFor.has(name)))))
    yield read.sort((a, b) => store.compareKeys(a.name, b.name))
  }
}
