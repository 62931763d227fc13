import { partNames } from '../../packet/names.ts'
import { AppError } from '../errors/app-error.ts'
import { inBatches } from '../store/batches.ts'
import type { ObjectStore, StoredObject } from '../store/object-store.ts'
import type { Generations } from './generations.ts'
import { hasExpired, isVisible, type Manifest, type ManifestPart } from './manifest.ts'
import { plainFilesOf } from './objects-of-a-name.ts'

/** Newer packets for which one process refreshes a view. Beyond this limit their publishers, or the repairer, do. */
const mostRounds = 100

/**
 * Updates the plain-file view of a packet: copies of its parts under their names, and nothing else under them, nor
 * anything after its removal or expiry. The view is for people and tools that read the bucket; the API never reads it.
 * Contract 6, Plain files.
 *
 * Two commits may update the view concurrently, and the copies of the older one may arrive last. So each checks for a
 * newer generation at its end, and the last to check leaves the view correct.
 */
export async function refreshPlainFiles(store: ObjectStore, generations: Generations, name: string): Promise<void> {
  for (let round = 0; round < mostRounds; round++) {
    const highest = await generations.highest(name)
    if (highest === null) return
    const present = await plainFilesOf(store, generations, name)
    await correct(store, name, shownParts(store, highest.manifest), present)
    if ((await generations.highest(name))?.generation === highest.generation) return
  }
}

/** Whether the view is that of a packet with this manifest. */
export async function isViewOf(
  store: ObjectStore,
  generations: Generations,
  name: string,
  manifest: Manifest,
): Promise<boolean> {
  const present = await plainFilesOf(store, generations, name)
  const { missing, surplus } = differenceOf(name, shownParts(store, manifest), present)
  return missing.length + surplus.length === 0
}

/**
 * Copies the parts of a packet that was just committed. `isNew`: no plain file had its name before. The caller must look
 * for a newer generation afterwards, and refresh the view if there is one: these copies may have replaced its.
 */
export async function copyCommitted(
  store: ObjectStore,
  generations: Generations,
  name: string,
  manifest: Manifest,
  isNew: boolean,
): Promise<void> {
  if (hasExpired(manifest, store.now())) return refreshPlainFiles(store, generations, name)
  await correct(store, name, manifest.parts, isNew ? [] : await plainFilesOf(store, generations, name))
}

/** Whether a plain file is a copy of this part already, as far as a listing says. */
const isCopyOf = ({ bytes, etag, storedBytes = bytes }: ManifestPart, object: StoredObject | undefined): boolean =>
  object?.bytes === storedBytes && object.etag === etag

const shownParts = (store: ObjectStore, manifest: Manifest) => (isVisible(manifest, store.now()) ? manifest.parts : [])

/** What a view lacks of these parts, and which files it has besides. */
function differenceOf(name: string, parts: readonly ManifestPart[], present: readonly StoredObject[]) {
  const names = partNames(name, parts.length)
  const found = new Map(present.map((object) => [object.key, object]))
  const wanted = parts.map((part, index) => ({ part, key: names[index] as string }))
  const missing = wanted.filter(({ part, key }) => !isCopyOf(part, found.get(key)))
  for (const key of names) found.delete(key)
  return { missing, surplus: [...found.keys()] }
}

/** Makes a view of these parts. */
async function correct(
  store: ObjectStore,
  name: string,
  parts: readonly ManifestPart[],
  present: readonly StoredObject[],
): Promise<void> {
  const { missing, surplus } = differenceOf(name, parts, present)
  const blocked = await inBatches(missing, ({ part, key }) =>
    store.copy(part.key, key).then(
      () => null,
      (error) => {
        if (isNameBlocked(error)) return error
        throw error
      },
    ),
  )
  for (const key of surplus) await store.remove(key)
  // Only then, because files of an earlier packet must not stay in place of a file that the store cannot keep.
  for (const error of blocked) if (error !== null) throw error
}

/** Whether the store can never keep a file of this name, as it is now. */
export const isNameBlocked = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'nameBlocked'
