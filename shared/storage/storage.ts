import type { StoreSettings } from '../config/settings.ts'
import type { ObserveCall } from '../observability/timed.ts'
import { createGenerations, type Generations } from './generations.ts'
import { openMinioStore } from './minio-store.ts'
import type { ObjectStore } from './object-store.ts'
import { createPackets, type Packets } from './packets.ts'

/** Object storage, from the bare store to the packets that readers see. */
export interface Storage {
  store: ObjectStore
  generations: Generations
  packets: Packets
}

/** Opens the store and verifies what publication relies on. @throws storeAway, or an Error naming what it lacks. */
export async function openStorage(settings: StoreSettings, observe?: ObserveCall): Promise<Storage> {
  const store = openMinioStore(settings, observe)
  await store.prepare()
  return storageOn(store)
}

export function storageOn(store: ObjectStore): Storage {
  const generations = createGenerations(store)
  return { store, generations, packets: createPackets(store, generations) }
}
