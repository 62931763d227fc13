import { inBatches } from '../batches.ts'
import type { Generations } from '../generations.ts'
import { shownParts } from '../markers.ts'
import { parsePartName } from '../names.ts'
import type { ObjectStore } from '../object-store.ts'
import { othersFiles } from '../plain-files.ts'
import type { Named } from './merged-names.ts'
import { packetsNamed } from './packet-order.ts'

/**
 * S3Proxy on a file system lists an object while it is written, as `<key>-<uuid>`: the plain file of a packet that is
 * being copied is no file of others. Stores that keep to S3 never show such a name.
 */
const beingWritten = /-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The packets whose copy an object of this name would be. */
export function ownersOf(name: string): string[] {
  const names = [name, name.replace(beingWritten, '')]
  return [...new Set(names.flatMap((each) => [each, parsePartName(each)?.base ?? each]))]
}

/** The names without those of objects that are copies, be it of a packet that was committed meanwhile. */
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
    // The name of an object that became a packet's was there throughout.
    if (parts > 0) return parts === 1 && packet?.name === name
    return (await areOfOthers(removed)).has(name)
  }

  const listed = await inBatches(names, isListed)
  return names.filter((_, index) => listed[index]).map(({ name }) => name)
}
