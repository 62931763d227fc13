import { inBatches } from '../batches.ts'
import type { Generations } from '../generations.ts'
import { packetNamesOf } from '../names.ts'
import type { ObjectStore } from '../object-store.ts'
import { othersFiles } from '../plain-files.ts'
import { shownParts } from './markers.ts'
import type { Named } from './merged-names.ts'
import { packetsNamed } from './packet-order.ts'

/** Drops the names of objects that are copies, including copies of packets committed meanwhile. */
export async function withoutCopies(
  { store, generations }: { store: ObjectStore; generations: Generations },
  names: readonly Named[],
): Promise<string[]> {
  const ownersOf = (name: string) => packetNamesOf(name, store.finalKey(name))
  const unknown = names.filter(({ plainOf }) => plainOf === null)
  const packets = await packetsNamed(
    store,
    unknown.flatMap(({ name }) => ownersOf(name)),
  )

  const others = new Map<string, Promise<Set<string>>>()
  function areOfOthers(removed: string): Promise<Set<string>> {
    const known = others.get(removed)
    if (known) return known
    const keys = othersFiles(store, generations, removed).then((found) => new Set(found.map(({ key }) => key)))
    others.set(removed, keys)
    return keys
  }

  async function isListed({ name, plainOf }: Named): Promise<boolean> {
    if (plainOf === undefined) return true
    const packet =
      plainOf === null
        ? ownersOf(name)
            .map((owner) => packets.get(owner))
            .find((each) => each !== undefined)
        : undefined
    const removed = plainOf ?? packet?.name
    if (removed === undefined) return true
    const parts = packet === undefined ? 0 : (packet.parts ?? (await shownParts(generations, packet)))
    // The object's name is now that of a one-part packet, so it existed throughout.
    if (parts > 0) return parts === 1 && packet?.name === name
    return (await areOfOthers(removed)).has(name)
  }

  const listed = await inBatches(names, isListed)
  return names.filter((_, index) => listed[index]).map(({ name }) => name)
}
