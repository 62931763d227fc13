import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import * as errors from '../errors/catalogue.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { generationKey, generationsOf, parseGenerationKey } from './keys.ts'
import { type Manifest, parseManifest } from './manifest.ts'

// Manifests are immutable, so cached ones never become stale.
export const newManifestCache = () => new LRUCache<string, Manifest>({ maxSize: 32 * 2 ** 20 })
export type ManifestCache = ReturnType<typeof newManifestCache>

// An upper bound: a manifest in memory took 1.05 to 1.4 times the bytes of its JSON.
const sizeOf = (json: Buffer) => 2 * json.length

// Enough for the latest generation and all that were committed while a job waited and ran, each perhaps with a marker.
const pageKeys = 20

/**
 * Listings that lack a number which the store has refused to create. Beyond this limit the publish ends with
 * `503 storeAway`.
 */
const mostHidden = 10
const pauseMs = 50

/**
 * The numbered manifests of names: each is created if absent, under the next number, and never changed
 * (docs/storage.md#i1). Except for `list`, the cost does not grow with their number, because a listing begins with the
 * latest. What a manifest means is up to `Generations`. All functions throw `packetDamaged` if they need a manifest that
 * is unreadable.
 */
export function createSequence(store: ObjectStore, cache = newManifestCache()) {
  /** Numbers of a name, descending, down to the first at or below `below`. So the result always has the latest. */
  async function above(name: string, below: number, options = { pageKeys }): Promise<number[]> {
    const numbers: number[] = []
    for await (const { key } of store.list(generationsOf(name), options)) {
      const parsed = parseGenerationKey(key)
      if (parsed?.name !== name) continue
      numbers.push(parsed.generation)
      if (parsed.generation <= below) break
    }
    return numbers
  }

  /** null if it was swept. */
  async function read(name: string, number: number): Promise<Manifest | null> {
    const key = generationKey(name, number)
    const known = cache.get(key)
    if (known) return known
    const bytes = await store.get(key)
    if (bytes === null) return null
    const manifest = parseManifest(key, bytes)
    cache.set(key, manifest, { size: sizeOf(bytes) })
    return manifest
  }

  /** @returns the manifest that has the number now: this one, or an earlier one; null if that one was swept since. */
  async function create(name: string, number: number, manifest: Manifest): Promise<Manifest | null> {
    const key = generationKey(name, number)
    const bytes = Buffer.from(JSON.stringify(manifest))
    const outcome = await store.create(key, bytes)
    if (outcome === 'created') {
      cache.set(key, manifest, { size: sizeOf(bytes) })
      return manifest
    }
    // Even a 412 may come from our own PUT, if its response was lost: only the manifest says who wrote it.
    const written = await read(name, number)
    if (written === null && outcome === 'lost') throw errors.storeAway(new Error('the commit had no answer'))
    return written
  }

  return {
    above,
    read,
    /** All numbers of a name, ascending. The number of requests grows with its history. */
    list: async (name: string): Promise<number[]> =>
      (await above(name, Number.NEGATIVE_INFINITY, { pageKeys: 1_000 })).reverse(),
    /** The highest number of a name, 0 if there is none. */
    latest: async (name: string): Promise<number> => (await above(name, Number.POSITIVE_INFINITY))[0] ?? 0,
    /** Whether there is no higher number, in one request. After a day a sweep may have removed the next one. */
    isLatest: async (name: string, number: number): Promise<boolean> =>
      (await store.get(generationKey(name, number + 1))) === null,
    /** A search for a free number, which ends on a store that does not list what it has, perhaps only for a moment. */
    search(name: string) {
      let expected = 0
      let count = 0
      return {
        /** See `above`. @throws storeAway if listings went on lacking a taken number */
        async above(below: number): Promise<number[]> {
          const numbers = await above(name, below)
          if ((numbers[0] ?? 0) >= expected) return numbers
          if (++count > mostHidden)
            throw errors.storeAway(new Error(`generation ${expected} exists, but is not listed`))
          await delay(pauseMs * count)
          return numbers
        },
        /** Creates the manifest unless the number is taken. @throws storeAway if it may have been created */
        async create(number: number, manifest: Manifest): Promise<Manifest | null> {
          const holder = await create(name, number, manifest)
          if (holder !== manifest) expected = number
          return holder
        },
      }
    },
  }
}
