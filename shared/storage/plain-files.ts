import { parsePartName, partNames } from '../../packet/names.ts'
import { AppError } from '../errors/app-error.ts'
import { inBatches } from '../store/batches.ts'
import type { ObjectStore, StoredObject } from '../store/object-store.ts'
import type { Generation, GenerationReader } from './generation-reader.ts'
import { hasExpired, type Manifest, type ManifestPart } from './manifest.ts'

// One page of a listing.
const listedTogether = 1_000

/**
 * The plain objects under a packet's name: `name` itself, and part names of any count. `asked`: further names of its
 * files. On a store that hides keys below keys, hidden objects are found only under the packet's name, the names that
 * its last generations imply, and the names asked for.
 */
export async function plainFilesOf(
  store: ObjectStore,
  generations: GenerationReader,
  name: string,
  asked: readonly string[] = [],
): Promise<StoredObject[]> {
  const listed = await listedFilesOf(store, name)
  if (!(await isBelowKey(store, name))) return listed
  const known = new Set(listed.map(({ key }) => key))
  const hidden = new Set([name, ...asked, ...(await impliedNames(generations, name))])
  const unlisted = [...hidden].filter((key) => !known.has(key))
  const found = await inBatches(unlisted, (key) => store.find(key))
  return [...listed, ...found.filter((object) => object !== null)]
}

async function listedFilesOf(store: ObjectStore, name: string): Promise<StoredObject[]> {
  const isOwn = ({ key }: StoredObject) => key === name || parsePartName(key)?.base === name
  const found = await first(listedTogether, store.list(name))
  if (found.length < listedTogether) return found.filter(isOwn)
  // Very many names start with this one, which sorts before them; its parts are listed separately.
  const parts = await first(Number.POSITIVE_INFINITY, store.list(`${name}Part`))
  return [...found.filter(({ key }) => key === name), ...parts.filter(isOwn)]
}

/** Whether the store hides the files of a packet, because another object has the name of a directory above it. */
async function isBelowKey(store: ObjectStore, name: string): Promise<boolean> {
  if (store.keysBelowKeys() !== 'hidden') return false
  // An object with the name of a top-level org would hide all of that org.
  const above = [...name.matchAll(/\//g)].slice(1).map(({ index }) => name.slice(0, index))
  return (await inBatches(above, (key) => store.find(key))).some((found) => found !== null)
}

/** Names of the files of a packet's last generations. */
async function impliedNames(generations: GenerationReader, name: string): Promise<string[]> {
  const [latest] = await generations.above(name, Number.POSITIVE_INFINITY)
  if (latest === undefined) return []
  const counts = new Set((await lastManifests(generations, name, latest)).map(({ parts }) => parts.length))
  return [...counts].flatMap((count) => partNames(name, count))
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

async function lastManifests(generations: GenerationReader, name: string, latest: number): Promise<Manifest[]> {
  const numbers = await generations.above(name, latest - mayHaveLeftCopies)
  const manifests = await inBatches(numbers.slice(0, mayHaveLeftCopies), (number) => generations.read(name, number))
  return manifests.filter((manifest) => manifest !== null)
}

/** Contents of the parts of a packet's last generations. */
async function contentsOf(generations: GenerationReader, name: string, latest: number): Promise<Set<string>> {
  const manifests = await lastManifests(generations, name, latest)
  return new Set(manifests.flatMap(({ parts }) => parts).map(contentOf))
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
  asked: readonly string[] = [],
): Promise<StoredObject[]> {
  // List the objects first, so that copies of a packet committed in the meantime are recognized.
  const found = await plainFilesOf(store, generations, name, asked)
  if (found.length === 0) return []
  const { number, highest } = await generations.latest(name)
  if (number === 0) return found
  if (highest && !highest.manifest.removed) return []
  const own = await contentsOf(generations, name, number)
  return found.filter((object) => !own.has(contentOf(object)))
}

/** Newer packets for which one process refreshes a view. Beyond this limit their publishers, or the repairer, do. */
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
    else if (hasExpired(highest.manifest, store.now())) await removeAll(store, generations, name)
    else await copyParts(store, generations, name, highest.manifest)
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
  await copyParts(store, generations, name, manifest, isNew ? [] : undefined)
  return generations.isLatest(name, generation)
}

async function copyParts(
  store: ObjectStore,
  generations: GenerationReader,
  name: string,
  { parts }: Manifest,
  existing?: readonly StoredObject[],
): Promise<void> {
  const wanted = partNames(name, parts.length)
  const present = existing ?? (await plainFilesOf(store, generations, name))
  const found = new Map(present.map((object) => [object.key, object]))
  const blocked = await inBatches([...wanted.entries()], async ([index, key]) => {
    const part = parts[index] as ManifestPart
    const before = found.get(key)
    if (before && contentOf(before) === contentOf(part)) return null
    return store.copy(part.key, key).then(
      () => null,
      (error) => {
        if (isNameBlocked(error)) return error
        throw error
      },
    )
  })
  const kept = new Set(wanted)
  for (const key of found.keys()) if (!kept.has(key)) await store.remove(key)
  // Only then, because files of an earlier packet must not stay in place of a file that the store cannot keep.
  for (const error of blocked) if (error !== null) throw error
}

/** Whether the store can never keep a file of this name, as it is now. */
export const isNameBlocked = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'nameBlocked'

async function removeLeftovers(store: ObjectStore, generations: GenerationReader, name: string): Promise<void> {
  const others = new Set((await othersFiles(store, generations, name)).map(({ key }) => key))
  for (const { key } of await plainFilesOf(store, generations, name)) if (!others.has(key)) await store.remove(key)
}

async function removeAll(store: ObjectStore, generations: GenerationReader, name: string): Promise<void> {
  for (const { key } of await plainFilesOf(store, generations, name)) await store.remove(key)
}

/** Removes the view of a just removed packet, whatever its objects contain; restores it if a newer packet exists. */
export async function removePlainFiles(store: ObjectStore, generations: GenerationReader, name: string): Promise<void> {
  await removeAll(store, generations, name)
  await refreshPlainFiles(store, generations, name)
}
