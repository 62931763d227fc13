import { LRUCache } from 'lru-cache'
import * as errors from '../errors/catalogue.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { generationKey, generationsOf, parseGenerationKey } from './keys.ts'
import { isVisible, type Manifest, parseManifest, unlessUnreadable } from './manifest.ts'

export interface Generation {
  generation: number
  manifest: Manifest
}

// Manifests are immutable, so cached ones never become stale.
export const newManifestCache = () => new LRUCache<string, Manifest>({ maxSize: 32 * 2 ** 20 })
export type ManifestCache = ReturnType<typeof newManifestCache>

// An upper bound: a manifest in memory took 1.05 to 1.4 times the bytes of its JSON.
const sizeOf = (json: Buffer) => 2 * json.length

// Enough for the latest generation and all that were committed while a job waited and ran, each perhaps with a marker.
const pageKeys = 20

export type GenerationReader = ReturnType<typeof createGenerationReader>

/**
 * Reads the generations of a packet's name. Except for `list`, the cost does not grow with their number: a listing
 * begins with the latest, and a void generation names the one that readers see. All functions throw `packetDamaged` if
 * they need a manifest that is unreadable.
 */
export function createGenerationReader(store: ObjectStore, cache: ManifestCache) {
  /** Numbers of a packet's generations, ascending. The number of requests grows with its history. */
  async function list(name: string): Promise<number[]> {
    const numbers: number[] = []
    for await (const { key } of store.list(generationsOf(name))) {
      const parsed = parseGenerationKey(key)
      if (parsed?.name === name) numbers.push(parsed.generation)
    }
    return numbers.sort((a, b) => a - b)
  }

  /** Numbers above `below`, descending, and then the next lower one, if any. So the result always has the latest. */
  async function above(name: string, below: number): Promise<number[]> {
    const numbers: number[] = []
    for await (const { key } of store.list(generationsOf(name), { pageKeys })) {
      const parsed = parseGenerationKey(key)
      if (parsed?.name !== name) continue
      numbers.push(parsed.generation)
      if (parsed.generation <= below) break
    }
    return numbers
  }

  /** null if the generation was swept. */
  async function read(name: string, generation: number): Promise<Manifest | null> {
    const key = generationKey(name, generation)
    const known = cache.get(key)
    if (known) return known
    const bytes = await store.get(key)
    if (bytes === null) return null
    const manifest = parseManifest(key, bytes)
    cache.set(key, manifest, { size: sizeOf(bytes) })
    return manifest
  }

  /** The number of the latest generation of any kind (0 if none), and the latest generation that is not void. */
  async function latest(name: string): Promise<{ number: number; highest: Generation | null }> {
    // A generation that disappears before it is read was superseded and swept: retry.
    for (let attempt = 0; attempt < 3; attempt++) {
      const [number = 0] = await above(name, Number.POSITIVE_INFINITY)
      const highest = await seenAt(name, number)
      if (highest !== 'gone') return { number, highest }
    }
    throw errors.packetDamaged(new Error('a generation that is listed, or that a void one names, does not exist'))
  }

  /** The generation that readers see while this is the latest; `gone` if it was swept. */
  async function seenAt(name: string, number: number): Promise<Generation | null | 'gone'> {
    if (number === 0) return null
    const manifest = await read(name, number)
    if (manifest === null) return 'gone'
    if (!manifest.isVoid) return { generation: number, manifest }
    const under = manifest.over ?? 0
    // A damaged manifest could name itself, which would lead to an endless loop.
    if (under >= number)
      throw errors.packetDamaged(new Error(`the manifest ${generationKey(name, number)} is over ${under}`))
    return seenAt(name, under)
  }

  /** What a void generation at the next number is over: what readers see, or the unreadable generation that they see. */
  async function shownAt(name: string, number: number): Promise<number | 'gone'> {
    const seen = await unlessUnreadable<Pick<Generation, 'generation'> | null | 'gone'>(seenAt(name, number), () => ({
      generation: number,
    }))
    return seen === 'gone' ? seen : (seen?.generation ?? 0)
  }

  /**
   * The generation, of any kind, that a job made among these; null if none.
   * @throws packetDamaged if it may be one that is unreadable
   */
  async function madeBy(name: string, jobId: string, numbers: readonly number[]): Promise<Generation | null> {
    const damage: Error[] = []
    for (const generation of numbers) {
      const manifest = await unlessUnreadable(read(name, generation), (error) => {
        damage.push(error)
        return null
      })
      if (manifest?.jobId === jobId) return { generation, manifest }
    }
    if (damage[0]) throw damage[0]
    return null
  }

  return {
    /** The store's time, epoch milliseconds. */
    now: () => store.now(),
    list,
    above,
    read,
    latest,
    seenAt,
    shownAt,
    madeBy,
    /** Keeps the manifest of a generation that this process has created. */
    remember: (name: string, generation: number, manifest: Manifest, bytes: Buffer) =>
      void cache.set(generationKey(name, generation), manifest, { size: sizeOf(bytes) }),
    /** Whether there is no higher generation, in one request. After a day a sweep may have removed the next one. */
    isLatest: async (name: string, generation: number) =>
      (await store.get(generationKey(name, generation + 1))) === null,
    /** The latest generation that is not void; it may be a removal, or have expired. */
    highest: async (name: string) => (await latest(name)).highest,
    /** The packet's generation; null if there is none, or the packet was removed or has expired. */
    async current(name: string): Promise<Generation | null> {
      const { highest } = await latest(name)
      return highest !== null && isVisible(highest.manifest, store.now()) ? highest : null
    },
    /** Number of the generation above `below` that a job committed; null if none. */
    async ofJob(name: string, jobId: string, below = 0): Promise<number | null> {
      const numbers = (await above(name, below)).filter((number) => number > below)
      const own = await madeBy(name, jobId, numbers)
      return own === null || own.manifest.isVoid ? null : own.generation
    },
  }
}
