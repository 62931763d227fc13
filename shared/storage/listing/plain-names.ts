import { inBatches } from '../batches.ts'
import type { Generations } from '../generations.ts'
import { parsePartName } from '../names.ts'
import type { ObjectStore } from '../object-store.ts'
import { othersFiles } from '../plain-files.ts'
import { shownParts } from './markers.ts'
import type { Named } from './merged-names.ts'
import { packetsNamed } from './packet-order.ts'

/**
 * S3Proxy on a file system lists an object as `<key>-<uuid>` while it is written. While a packet's plain file is being
 * copied, such an object is not one of others' files. Stores that conform to S3 never list such a name.
 */
const beingWritten = /-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Names of the packets that an object of this name could be a copy of. */
export function ownersOf(name: string): string[] {
  const names = [name, name.replace(beingWritten, '')]
  return [...new Set(names.flatMap((each) => [each, parsePartName(each)?.base ?? each]))]
}

/** Drops the names of objects that are copies, including copies of packets committed meanwhile. */
export async function withoutCopies(
  { store, generations }: { store: ObjectStore; generations: Generations },
  names: readonly Named[],
): Promise<string[]> {
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
