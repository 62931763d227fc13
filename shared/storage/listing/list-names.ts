import { setImmediate } from 'node:timers/promises'
import { baseReachedInto, canStartName, packetNamesOf, partNames } from '../../../packet/names.ts'
import type { ObjectStore, StoredObject } from '../../store/object-store.ts'
import type { Generations } from '../generations.ts'
import { generationsBelow } from '../keys.ts'
import { unlessUnreadable } from '../manifest.ts'
import { keysFor, type ListedPacket, packetsBelow, packetsNamed } from './listed-packets.ts'
import { shownOf } from './markers.ts'
import { createTextSearch, type NameFilter } from './name-filter.ts'
import { objectsBelow } from './objects-below.ts'
import type { Position } from './position.ts'

/** Which names to list. Every name starts with its org. */
export interface WantedNames {
  /** Names that start with one of these. */
  starts: readonly string[]
  /** Where the page before ended; null: from the beginning. */
  after: Position | null
  filter: NameFilter | null
  /** The caller takes at most this many. */
  most: number
  /** Called every 20 ms of work; its error ends the listing. */
  interrupted?: (() => void) | undefined
}

export interface ListedName {
  /** null: only the position is new, because many objects belonged to packets. */
  name: string | null
  /** When its packet expires, ISO 8601; absent: never. */
  expiresAt?: string | undefined
  /** The position after this name. */
  position: Position
}

interface Stored {
  store: ObjectStore
  generations: Generations
}

// Manifests read concurrently.
const manifestsTogether = 32
/** Objects whose owners are looked up together. */
const objectsTogether = 495
const turnMs = 20

/**
 * Lists file names lazily, in two phases: the names of packets, by the keys of their generations, then files of others,
 * by their own keys. Within a phase names come in the key order of the store; names before, between and after the
 * wanted ones cost next to nothing.
 *
 * A packet that exists throughout is listed once, and so is a file of others, whatever is added or removed in the
 * meantime. A packet appears as its latest generation at the time when its keys are listed. Plain objects under a name
 * that was ever a packet belong to the service, and are not listed.
 */
export async function* listNames(stored: Stored, wanted: WantedNames): AsyncGenerator<ListedName> {
  const starts = uncovered(wanted.starts.filter(canStartName))
  const isWanted = createTextSearch(starts).startsAny
  const is = (name: string) => isWanted(name) && (wanted.filter?.is(name) ?? true)
  const takeTurns = turns(wanted.interrupted)
  const listed = new Set<string>()
  if (starts.length === 0) return
  if (wanted.after?.of !== 'file') {
    for await (const { packet, parts, expiresAt, isBase, done } of withParts(
      stored,
      wanted,
      packetsOf(stored, wanted, starts),
    )) {
      await takeTurns()
      if (parts > 0 || expiresAt !== undefined) listed.add(packet.name)
      const names = partNames(packet.name, parts)
      for (let index = done; index < names.length; index++) {
        const name = names[index] as string
        if (!is(name)) continue
        const position = {
          of: isBase ? 'base' : 'packet',
          name: packet.name,
          names: index + 1 < names.length ? index + 1 : null,
        } as const
        yield { name, expiresAt, position }
      }
    }
  }
  const objects = plainObjects(stored.store, starts, wanted.after, keysFor(Math.min(wanted.most, objectsTogether)))
  for await (const { name, key } of ofOthers(stored, listed, objects, is, takeTurns))
    yield { name, position: { of: 'file', name: key } }
}

interface FoundPacket {
  packet: ListedPacket
  /** Whether a prefix reaches into the suffix of its parts, so that only some of them are wanted. */
  isBase: boolean
  /** How many of its names were listed before. */
  done: number
}

/** Packets after the position, first those whose parts the prefixes reach into. */
async function* packetsOf(
  { store }: Stored,
  { after, most }: WantedNames,
  starts: readonly string[],
): AsyncGenerator<FoundPacket> {
  const position = after === null || after.of === 'file' ? null : after
  const doneOf = (packet: ListedPacket) =>
    packet.name === position?.name ? (position.names ?? Number.POSITIVE_INFINITY) : 0
  const prefixes = starts.map(generationsBelow)
  // The rest of the packet in whose middle the last page ended.
  const middle = position?.of === 'packet' && position.names !== null ? [position.name] : []
  const bases = position?.of === 'packet' ? [] : starts.map(baseReachedInto).filter((base) => base !== null)
  const found = await packetsNamed(store, [...middle, ...bases])
  const sorted = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const packet of sorted) {
    if (position?.of === 'base' && packet.name < position.name) continue
    yield { packet, isBase: position?.of !== 'packet', done: doneOf(packet) }
  }
  const from = position?.of === 'packet' ? { after: position.name } : {}
  for await (const packet of packetsBelow(store, prefixes, { packets: most, ...from })) {
    yield { packet, isBase: false, done: 0 }
  }
}

type CountedPacket = FoundPacket & { parts: number; expiresAt?: string | undefined }

/**
 * Takes part counts from markers. Without a marker, reads the manifest, unless the filter excludes the packet. A packet
 * that was removed or has expired has no parts.
 */
async function* withParts(
  { generations }: Stored,
  { filter, most }: WantedNames,
  found: AsyncIterable<FoundPacket>,
): AsyncGenerator<CountedPacket> {
  const counted = async (one: FoundPacket): Promise<CountedPacket> => {
    const isExcluded = one.packet.parts === null && filter !== null && !filter.mayBe(one.packet.name)
    return { ...one, ...(isExcluded ? { parts: 0 } : await shownOf(generations, one.packet)) }
  }
  let some: FoundPacket[] = []
  let left = most
  for await (const one of found) {
    // The caller takes no more, unless some of them are not shown.
    if (some.push(one) < Math.min(left, manifestsTogether)) continue
    yield* await Promise.all(some.map(counted))
    left = left > some.length ? left - some.length : most
    some = []
  }
  yield* await Promise.all(some.map(counted))
}

/**
 * Visible objects after the position. Hidden ones are below a dot-name; below the first segment they include all
 * generations and parts.
 */
async function* plainObjects(
  store: ObjectStore,
  starts: readonly string[],
  after: Position | null,
  pageKeys: number,
): AsyncGenerator<StoredObject> {
  const from = (startAfter: string) => objectsBelow(store, starts, { pageKeys, past: pastHidden, startAfter })
  for await (const object of from(after?.of === 'file' ? after.name : '')) {
    const behind = pastHidden(object.key)
    if (behind === null) yield object
    else if (behind.indexOf('/') === behind.lastIndexOf('/')) {
      for await (const further of from(behind)) if (pastHidden(further.key) === null) yield further
      return
    }
  }
}

/** A key behind all hidden objects beside this one; null for a visible object. */
function pastHidden(key: string): string | null {
  const dot = /(?:^|\/)\./.exec(key)
  return dot === null ? null : `${key.slice(0, dot.index + dot[0].length)}\u{10ffff}`
}

/**
 * Names of objects that `is` wants and that belong to no packet, with their keys, and null with the last key that was
 * looked at. `listed`: names of packets that need no look-up.
 */
async function* ofOthers(
  { store, generations }: Stored,
  listed: ReadonlySet<string>,
  objects: AsyncIterable<StoredObject>,
  is: (name: string) => boolean,
  takeTurns: () => Promise<void>,
): AsyncGenerator<{ name: string | null; key: string }> {
  const isWanted = async function* () {
    for await (const { key } of objects) {
      await takeTurns()
      if (is(key) && !packetNamesOf(key).some((owner) => listed.has(owner))) yield key
    }
  }
  for await (const names of chunks(isWanted(), objectsTogether)) {
    const packets = await packetsNamed(
      store,
      names.flatMap((name) => packetNamesOf(name)),
    )
    for (const name of names) {
      const owners = packetNamesOf(name).flatMap((owner) => packets.get(owner) ?? [])
      const ours = await Promise.all(owners.map((owner) => wasEverPacket(generations, owner)))
      if (!ours.includes(true)) yield { name, key: name }
    }
    yield { name: null, key: names.at(-1) as string }
  }
}

/** Whether a name has more than void generations. If a manifest is unreadable, it may be that of a packet. */
async function wasEverPacket(generations: Generations, { name, generation, parts, expiresAt }: ListedPacket) {
  if (parts || expiresAt !== undefined) return true
  return (await unlessUnreadable<unknown>(generations.seenAt(name, generation), () => 'unknown')) !== null
}

/** Yields to the event loop every 20 ms, as listing may run long without waiting for I/O. */
function turns(interrupted: () => void = () => {}) {
  let turn = performance.now()
  return async () => {
    if (performance.now() - turn < turnMs) return
    await setImmediate()
    interrupted()
    turn = performance.now()
  }
}

async function* chunks<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let chunk: T[] = []
  for await (const item of items) {
    if (chunk.push(item) < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

/** Drops prefixes that another one covers. */
function uncovered(starts: readonly string[]): string[] {
  const kept: string[] = []
  for (const start of [...starts].sort()) {
    const last = kept.at(-1)
    if (last === undefined || !start.startsWith(last)) kept.push(start)
  }
  return kept
}
