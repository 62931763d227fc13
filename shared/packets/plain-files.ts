import { parsePartName, partNames } from '../packet/names.ts'
import { inBatches } from '../store/batches.ts'
import type { ObjectStore, StoredObject } from '../store/object-store.ts'
import type { Generation, GenerationReader } from './generation-reader.ts'
import { hasExpired, type Manifest, type ManifestPart } from './manifest.ts'

// One page of a listing.
const listedTogether = 1_000

/** The plain objects under a packet's name: `name` itself, and part names of any count. */
export async function plainFilesOf(store: ObjectStore, name: string): Promise<StoredObject[]> {
  const isOwn = ({ key }: StoredObject) => key === name || parsePartName(key)?.base === name
  const found = await first(listedTogether, store.list(name))
  if (found.length < listedTogether) return found.filter(isOwn)
  // Very many names start with this one, which sorts before them; its parts are listed separately.
  const parts = await first(Number.POSITIVE_INFINITY, store.list(`${name}Part`))
  return [...found.filter(({ key }) => key === name), ...parts.filter(isOwn)]
}

async function first<T>(count: number, items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) if (found.push(item) === count) break
  return found
}

/** Equal for objects of equal content. */
const contentOf = ({ bytes, etag, storedBytes = bytes }: Pick<ManifestPart, 'bytes' | 'etag' | 'storedBytes'>) =>
  `${storedBytes} ${etag}`

// Copies are made after each commit, so the copies that a removed packet has left belong to one of its last
// generations.
const mayHaveLeftCopies = 32

/** Contents of the parts of a packet's last generations. */
async function contentsOf(generations: GenerationReader, name: string, latest: number): Promise<Set<string>> {
  const numbers = await generations.above(name, latest - mayHaveLeftCopies)
  const manifests = await inBatches(numbers.slice(0, mayHaveLeftCopies), (number) => generations.read(name, number))
  return new Set(manifests.flatMap((manifest) => manifest?.parts ?? []).map(contentOf))
}

/**
 * Plain objects under a packet's name that others stored: all if there is no generation, none if there is a packet,
 * even an expired one. After a removal, objects that equal a part of the last generations are leftover copies, and
 * excluded.
 */
export async function othersFiles(
  store: ObjectStore,
  generations: GenerationReader,
  name: string,
): Promise<StoredObject[]> {
  // List the objects first, so that copies of a packet committed in the meantime are recognized.
  const found = await plainFilesOf(store, name)
  if (found.length === 0) return []
  const { number, highest } = await generations.latest(name)
  if (number === 0) return found
  if (highest && !highest.manifest.removed) return []
  const own = await contentsOf(generations, name, number)
  return found.filter((object) => !own.has(contentOf(object)))
}

/** Newer packets for which one process refreshes a view. Beyond it their publishers, or the repairer, do. */
const mostRounds = 100

/**
 * Updates the plain-file view of a packet: copies of its parts under their names, and nothing else under them. The view
 * is for people and tools that read the bucket; the API never reads it. Contract 6, Plain files.
 *
 * Two commits may update the view concurrently, and the copies of the older one may arrive last. So each checks for a
 * newer generation at its end, and the last to check leaves the view correct.
 */
export async function refreshPlainFiles(
  store: ObjectStore,
  generations: GenerationReader,
  name: string,
): Promise<void> {
  for (let round = 0; round < mostRounds; round++) {
    const highest = await generations.highest(name)
    if (highest === null) return
    if (highest.manifest.removed) await removeLeftovers(store, generations, name)
    else if (hasExpired(highest.manifest, store.now())) await removeAll(store, name)
    else await copyParts(store, name, highest.manifest)
    if ((await generations.highest(name))?.generation === highest.generation) return
  }
}

/**
 * Like `refreshPlainFiles` in fewer requests, for a packet committed within the last day. `isNew`: no plain file had
 * its name before. @returns false if a newer generation exists or the packet has expired: then refresh the whole view.
 */
export async function copyCommitted(
  store: ObjectStore,
  generations: GenerationReader,
  name: string,
  { generation, manifest }: Generation,
  isNew: boolean,
): Promise<boolean> {
  if (hasExpired(manifest, store.now())) return false
  await copyParts(store, name, manifest, isNew ? [] : undefined)
  return generations.isLatest(name, generation)
}

async function copyParts(
  store: ObjectStore,
  name: string,
  { parts }: Manifest,
  existing?: readonly StoredObject[],
): Promise<void> {
  const wanted = partNames(name, parts.length)
  const found = new Map((existing ?? (await plainFilesOf(store, name))).map((object) => [object.key, object]))
  await inBatches([...wanted.entries()], async ([index, key]) => {
    const part = parts[index] as ManifestPart
    const present = found.get(key)
    if (!present || contentOf(present) !== contentOf(part)) await store.copy(part.key, key)
  })
  const kept = new Set(wanted)
  for (const key of found.keys()) if (!kept.has(key)) await store.remove(key)
}

async function removeLeftovers(store: ObjectStore, generations: GenerationReader, name: string): Promise<void> {
  const others = new Set((await othersFiles(store, generations, name)).map(({ key }) => key))
  for (const { key } of await plainFilesOf(store, name)) if (!others.has(key)) await store.remove(key)
}

async function removeAll(store: ObjectStore, name: string): Promise<void> {
  for (const { key } of await plainFilesOf(store, name)) await store.remove(key)
}

/** Removes the view of a just removed packet, whatever its objects contain; restores it if a newer packet exists. */
export async function removePlainFiles(store: ObjectStore, generations: GenerationReader, name: string): Promise<void> {
  await removeAll(store, name)
  await refreshPlainFiles(store, generations, name)
}
