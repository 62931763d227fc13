import { setImmediate } from 'node:timers/promises'
import { baseReachedInto, canStartName } from '../../../packet/names.ts'
import type { Compare, ObjectStore } from '../../store/object-store.ts'
import type { Generations } from '../generations.ts'
import { generationsBelow } from '../keys.ts'
import { commonStart, openCursor } from './cursor.ts'
import { shownOf } from './markers.ts'
import { type ListedName, merged, type Named, visibleKeys } from './merged-names.ts'
import { keysFor, type ListedPacket, mostTogether, packetsInOrder, packetsNamed } from './packet-order.ts'
import { withoutCopies } from './plain-names.ts'

/** Which names to list. Every name starts with its org. */
export interface WantedNames {
  /** Names that start with one of these. */
  starts: readonly string[]
  /** Only names after this one. */
  after: string
  filter: NameFilter | null
  /** The caller takes at most this many. */
  most: number
  /** Called every 20 ms of work; its error ends the listing. */
  interrupted?: (() => void) | undefined
}

export interface NameFilter {
  is(name: string): boolean
  /** Whether a packet's name, or the name of any part it may have, could match. */
  mayBe(packetName: string): boolean
}

interface Stored {
  store: ObjectStore
  generations: Generations
}

// Manifests read concurrently.
const manifestsTogether = 32
const turnMs = 20

/**
 * Lists file names lazily and in order; names before, between and after the wanted ones cost next to nothing. Packets
 * come from the keys of their generations, others' files from plain objects, each from one listing.
 *
 * A name that exists throughout is listed once, whatever is added or removed in the meantime. A packet appears as its
 * latest generation at the time when its keys are listed. An object that belongs to no packet seen so far may be a copy
 * of a packet committed since. So packets of these names are looked up again before the names are returned.
 */
export async function* listNames(stored: Stored, wanted: WantedNames): AsyncGenerator<ListedName> {
  const together = Math.min(wanted.most, mostTogether)
  let batch: Named[] = []
  for await (const one of findNames(stored, wanted)) {
    if (batch.push(one) < together) continue
    yield* await withoutCopies(stored, batch)
    batch = []
  }
  yield* await withoutCopies(stored, batch)
}

async function* findNames(
  stored: Stored,
  { starts, after, filter, most, interrupted }: WantedNames,
): AsyncGenerator<Named> {
  const { store, generations } = stored
  const { compareKeys } = store
  const packets = filter === null ? Math.min(most, mostTogether) : mostTogether
  const disjoint = uncovered(starts.filter(canStartName), compareKeys)
  const common = commonStart(disjoint)
  const packetKeys = openCursor(store, generationsBelow(common), keysFor(packets))
  const plainKeys = openCursor(store, common, keysFor(packets))
  const bases = await packetsNamed(
    store,
    disjoint.map(baseReachedInto).filter((base) => base !== null),
  )

  async function* packetsFrom(start: string, from: string) {
    const base = bases.get(baseReachedInto(start) ?? '')
    if (base) yield [base]
    yield* packetsInOrder(store, packetKeys, { start, from, packets })
  }

  /** Takes part counts from markers. Without a marker, reads the manifest unless the filter excludes the packet. */
  async function* withParts(chunks: AsyncIterable<ListedPacket[]>) {
    const shown = async (packet: ListedPacket) =>
      packet.parts !== null || filter === null || filter.mayBe(packet.name)
        ? await shownOf(generations, packet)
        : { parts: null }
    const together = Math.min(packets, manifestsTogether)
    for await (const chunk of chunks) {
      for (let done = 0; done < chunk.length; done += together) {
        const some = chunk.slice(done, done + together)
        yield* await Promise.all(some.map(async (packet) => ({ name: packet.name, ...(await shown(packet)) })))
      }
    }
  }

  let turn = performance.now()
  /** Yields to the event loop, as listing may run long without waiting for I/O. */
  async function takeTurns(): Promise<void> {
    if (performance.now() - turn < turnMs) return
    await setImmediate()
    interrupted?.()
    turn = performance.now()
  }

  for (const start of disjoint) {
    await takeTurns()
    const isBehind = compareKeys(after, start) >= 0
    if (isBehind && !after.startsWith(start)) continue
    const from = isBehind ? after : start
    const files = visibleKeys(plainKeys, start, from)
    for await (const one of merged(withParts(packetsFrom(start, from)), files, from, store)) {
      await takeTurns()
      const isPast = !isBehind || compareKeys(one.name, after) > 0
      if (isPast && one.name.startsWith(start) && (filter?.is(one.name) ?? true)) yield one
    }
  }
}

/** Sorts prefixes and drops those that another one covers. */
function uncovered(starts: readonly string[], compare: Compare): string[] {
  const kept: string[] = []
  for (const start of [...starts].sort(compare)) {
    const last = kept.at(-1)
    if (last === undefined || !start.startsWith(last)) kept.push(start)
  }
  return kept
}
