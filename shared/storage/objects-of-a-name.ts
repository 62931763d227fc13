import { parsePartName, partNames } from '../../packet/names.ts'
import { inBatches } from '../store/batches.ts'
import type { ObjectStore, StoredObject } from '../store/object-store.ts'
import { generationsOf, parseGenerationKey, parseMarkerKey } from './keys.ts'
import { type Manifest, unlessUnreadable } from './manifest.ts'

// One page of a listing.
const listedTogether = 1_000

/** What the objects under a name are judged by. */
interface Judging {
  latest(name: string): Promise<{ highest: { manifest: Manifest } | null }>
  read(name: string, number: number): Promise<Manifest | null>
}

/**
 * The plain objects under a packet's name: `name` itself, and part names of any count. `asked`: further names of its
 * files. On a store that hides keys below keys, hidden objects are found only under the packet's name, the names that
 * its generations imply, and the names asked for.
 */
export async function plainFilesOf(
  store: ObjectStore,
  generations: Judging,
  name: string,
  asked: readonly string[] = [],
): Promise<StoredObject[]> {
  const listed = await listedFilesOf(store, name)
  if (!(await isBelowKey(store, name))) return listed
  const known = new Set(listed.map(({ key }) => key))
  const hidden = new Set([name, ...asked, ...(await impliedNames(store, generations, name))])
  const unlisted = [...hidden].filter((key) => !known.has(key))
  const found = await inBatches(unlisted, (key) => store.find(key))
  return [...listed, ...found.filter((object) => object !== null)]
}

/**
 * Plain objects under a packet's name that others stored. A name that was ever a packet belongs to the service, with
 * everything that others put under it since.
 */
export async function othersFiles(
  store: ObjectStore,
  generations: Judging,
  name: string,
  asked: readonly string[] = [],
): Promise<StoredObject[]> {
  // List the objects first: copies of a packet appear only after its generation.
  const found = await plainFilesOf(store, generations, name, asked)
  if (found.length === 0) return []
  return (await generations.latest(name)).highest === null ? found : []
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

/** Names of the files of those generations of a packet that are on the first page of a listing. */
async function impliedNames(store: ObjectStore, generations: Judging, name: string): Promise<string[]> {
  const keys = (await first(listedTogether, store.list(generationsOf(name)))).map(({ key }) => key)
  const marked = new Map(keys.flatMap((key) => parseMarkerKey(key) ?? []).map((marker) => [marker.manifestKey, marker]))
  const counts = await inBatches(keys, async (key) => {
    const number = parseGenerationKey(key)?.generation
    if (number === undefined || marked.has(key)) return marked.get(key)?.parts ?? 0
    return (await unlessUnreadable(generations.read(name, number), () => null))?.parts.length ?? 0
  })
  return [...new Set(counts)].flatMap((count) => partNames(name, count))
}

async function first<T>(count: number, items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) if (found.push(item) === count) break
  return found
}
