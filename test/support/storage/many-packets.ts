import { generationKey, markerKey } from '../../../shared/storage/keys.ts'
import { removal } from '../../../shared/storage/manifest.ts'
import type { ObjectStore } from '../../../shared/store/object-store.ts'

const manifest = Buffer.from(JSON.stringify({ ...removal(), removed: undefined, parts: [{ key: 'part', bytes: 1 }] }))
const nothing = Buffer.alloc(0)

/** The name of one of the files that `storePackets` stores, by its number from 0. */
export const fileNumbered = (number: number) => `2026-11-22-file-${String(number).padStart(6, '0')}.json`

/** Stores packets of one part each with their plain files, as the service does, but without the contents. */
export async function storePackets(store: ObjectStore, org: string, count: number, isMarked = true): Promise<void> {
  await store.put(`${org}/.org`, Buffer.from('{}'))
  for (let number = 0; number < count; number++) {
    const name = `${org}/${fileNumbered(number)}`
    await store.put(generationKey(name, 1), manifest)
    if (isMarked) await store.put(markerKey(generationKey(name, 1), 1), nothing)
    await store.put(name, nothing)
  }
}
