import type { StoreSettings } from '../config/config.ts'
import type { ObserveCall } from '../observability/timed.ts'
import { openMinioStore } from '../store/minio-store.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { createGenerations, type Generations } from './generations.ts'
import { createPackets, newOrgCache, type OrgCache, type Packets } from './packets.ts'
import { type ManifestCache, newManifestCache } from './sequence.ts'

/** Object storage, from the bare store to the packets that readers see. */
export interface Storage {
  store: ObjectStore
  generations: Generations
  packets: Packets
  /** The same storage for one reader: `check` runs before each request that reads, and its error ends the reading. */
  checkedBy(check: () => void): Storage
}

/** Opens the store and verifies its guarantees. @throws storeAway, or an Error that names what the store lacks. */
export async function openStorage(settings: StoreSettings, observe?: ObserveCall): Promise<Storage> {
  const store = openMinioStore(settings, observe)
  await store.prepare()
  return storageOn(store)
}

export function storageOn(store: ObjectStore, caches: Caches = newCaches()): Storage {
  const generations = createGenerations(store, caches.manifests)
  return {
    store,
    generations,
    packets: createPackets(store, generations, caches.orgs),
    checkedBy: (check) => storageOn(checked(store, check), caches),
  }
}

/** Caches that all readers of one store share. */
interface Caches {
  manifests: ManifestCache
  orgs: OrgCache
}
const newCaches = (): Caches => ({ manifests: newManifestCache(), orgs: newOrgCache() })

const checked = (store: ObjectStore, check: () => void): ObjectStore => ({
  ...store,
  async get(key, range) {
    check()
    return store.get(key, range)
  },
  async hasAny(prefix) {
    check()
    return store.hasAny(prefix)
  },
  async *listLevel(prefix, options) {
    check()
    yield* store.listLevel(prefix, options)
  },
  async *list(prefix, options = {}) {
    check()
    const skipTo = (lastKey: string) => {
      check()
      return options.skipTo?.(lastKey) ?? null
    }
    yield* store.list(prefix, { ...options, skipTo })
  },
})
