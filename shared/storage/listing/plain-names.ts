import { packetNamesOf } from '../../../packet/names.ts'
import { inBatches } from '../../store/batches.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import type { Generations } from '../generations.ts'
import { unlessUnreadable } from '../manifest.ts'
import { othersFiles } from '../plain-files.ts'
import { type Shown, shownOf } from './markers.ts'
import type { ListedName, Named } from './merged-names.ts'
import { packetsNamed } from './packet-order.ts'

/** Drops the names of objects that are copies, including copies of packets committed since the listing began. */
export async function withoutCopies(
  { store, generations }: { store: ObjectStore; generations: Generations },
  names: readonly Named[],
): Promise<ListedName[]> {
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
    // Without all manifests nobody knows which files are copies of the removed packet, so none of them are shown.
    const found = unlessUnreadable(othersFiles(store, generations, removed), () => [])
    const keys = found.then((files) => new Set(files.map(({ key }) => key)))
    others.set(removed, keys)
    return keys
  }

  async function listed({ name, plainOf, expiresAt }: Named): Promise<ListedName | null> {
    if (plainOf === undefined) return { name, expiresAt }
    const packet =
      plainOf === null
        ? ownersOf(name)
            .map((owner) => packets.get(owner))
            .find((each) => each !== undefined)
        : undefined
    const removed = plainOf ?? packet?.name
    if (removed === undefined) return { name }
    const shown: Shown = packet === undefined ? { parts: 0 } : await shownOf(generations, packet)
    // A one-part packet now has the object's name, so the name existed throughout.
    if (shown.parts > 0) return shown.parts === 1 && packet?.name === name ? { name, expiresAt: shown.expiresAt } : null
    return shown.expiresAt === undefined && (await areOfOthers(removed)).has(name) ? { name } : null
  }

  return (await inBatches(names, listed)).filter((each) => each !== null)
}
