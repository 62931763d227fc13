import type { ObjectStore } from '../../store/object-store.ts'
import { generationsOf, type Marker, parseGenerationKey, parseMarkerKey } from '../keys.ts'
import { hasExpired } from '../manifest.ts'
import { objectsBelow } from './objects-below.ts'

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

/** The number of parts that readers see by a marker, at a time by the clock of the store. */
export const partsShownBy = (marker: Marker, now: number): number => (hasExpired(marker, now) ? 0 : marker.parts)

// Enough for the latest generation and its marker, with some to spare.
const leastKeys = 10
const mostKeys = 1_000

/** Number of keys that typically covers this many packets. */
export const keysFor = (packets: number) => Math.min(leastKeys + 2 * packets, mostKeys)

interface Wanted {
  /** Packets that the caller takes first. */
  packets: number
  /** Only packets after the one with this name, which need not exist. */
  after?: string | undefined
}

/** Sorts after the keys of all generations of a packet, and before the keys of other packets. */
const behind = (name: string) => `${generationsOf(name)}:`

/**
 * Packets whose generation keys start with one of these prefixes, in the order of these keys, each as its latest
 * generation. Of a long history only the first page is listed.
 */
export async function* packetsBelow(
  store: ObjectStore,
  prefixes: readonly string[],
  { packets, after }: Wanted,
): AsyncGenerator<ListedPacket> {
  let latest: ListedPacket | null = null
  let markers = 0
  let isWhole = false
  // The marker of a generation may be the first key of the next page.
  const past = () => (latest !== null && isWhole ? behind(latest.name) : null)
  const start = after === undefined ? {} : { startAfter: behind(after) }
  for await (const { key } of objectsBelow(store, prefixes, { pageKeys: keysFor(packets), past, ...start })) {
    const marker = parseMarkerKey(key)
    const parsed = parseGenerationKey(marker?.manifestKey ?? key)
    if (parsed === null) continue
    if (latest?.name !== parsed.name) {
      if (latest !== null && !isWhole) yield latest
      // A marker without its manifest says nothing.
      latest = marker === null ? { ...parsed, manifestKey: key, parts: null } : null
      markers = 0
      isWhole = false
    } else if (marker?.manifestKey === latest.manifestKey) {
      const isOnly = ++markers === 1
      latest.parts = isOnly ? partsShownBy(marker, store.now()) : null
      latest.expiresAt = isOnly ? marker.expiresAt : undefined
    } else if (!isWhole) {
      isWhole = true
      yield latest
    }
  }
  if (latest !== null && !isWhole) yield latest
}

/** Looks up packets by name, including removed ones. Names that sort close together share a request. */
export async function packetsNamed(store: ObjectStore, names: Iterable<string>): Promise<Map<string, ListedPacket>> {
  const starts = [...new Set(names)].map(generationsOf)
  const found = new Map<string, ListedPacket>()
  if (starts.length === 0) return found
  for await (const packet of packetsBelow(store, starts, { packets: starts.length })) {
    if (found.set(packet.name, packet).size === starts.length) break
  }
  return found
}
