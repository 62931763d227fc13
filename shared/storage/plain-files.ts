import type { Manifest, ManifestPart } from './generations.ts'
import { parsePartName, partNames } from './names.ts'
import type { ObjectStore, StoredObject } from './object-store.ts'

/** The plain objects that carry a packet's name: `name` itself, and its parts' names of whatever count. */
export async function* plainFilesOf(store: ObjectStore, name: string): AsyncGenerator<StoredObject> {
  for await (const object of store.list(name)) {
    if (object.key === name) yield object
    break // in key order a name comes before everything that it is a prefix of
  }
  for await (const object of store.list(`${name}Part`)) if (parsePartName(object.key)?.base === name) yield object
}

/**
 * Brings the plain-file view of a packet up to date: copies of its parts under their names, and nothing else under
 * them. It is for people and tools that read the bucket; the API never reads it. Contract 6, Plain files.
 */
export async function refreshPlainFiles(store: ObjectStore, name: string, { parts }: Manifest): Promise<void> {
  const wanted = partNames(name, parts.length)
  for (const [index, key] of wanted.entries()) await store.copy((parts[index] as ManifestPart).key, key)
  const stale: string[] = []
  for await (const { key } of plainFilesOf(store, name)) if (!wanted.includes(key)) stale.push(key)
  for (const key of stale) await store.remove(key)
}
