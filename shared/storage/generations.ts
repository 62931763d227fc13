import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import * as errors from '../errors/catalogue.ts'
import { generationKey, generationsOf, parseGenerationKey } from './keys.ts'
import type { ObjectStore } from './object-store.ts'
import { othersFiles } from './plain-files.ts'

export interface ManifestPart {
  key: string
  bytes: number
  pairs: number
  etag: string
}

/** One generation of a packet: written once, never changed. */
export interface Manifest {
  jobId: string
  attempt: number
  /** ISO 8601. */
  createdAt: string
  parts: ManifestPart[]
  /** This generation says that the packet was removed; it has no parts. */
  removed?: true
}

/** The generation that says that a packet was removed. */
export const removal = (): Manifest => ({
  jobId: randomUUID(),
  attempt: 0,
  createdAt: new Date().toISOString(),
  parts: [],
  removed: true,
})

export interface Generation {
  generation: number
  manifest: Manifest
}

/**
 * A packet is a list of generations; the highest is the packet. Creating the next one's manifest is the commit, and
 * the store's create-if-absent is all that decides. Contract 6, How.
 *
 * A job may run more than once: after a crash, or twice at the same time when a worker froze past its lock. Each run
 * brings its own parts. Between listing the generations and creating the next, the other run may commit: then the
 * create finds the number taken, reads whose it is, and a manifest of the same job is success for both. A run that
 * wakes up late lists its job's generation, also below newer ones (superseded generations stay 7 days, longer than any
 * job), and commits nothing. So a job never becomes two generations, and orphaned parts are all that a loser leaves.
 */
export interface Generations {
  /** Numbers of a packet's generations, ascending. */
  list(name: string): Promise<number[]>
  /** null when the generation was swept. */
  read(name: string, generation: number): Promise<Manifest | null>
  /** The latest word about a packet, that it was removed included. */
  highest(name: string): Promise<Generation | null>
  /** The packet, if there is one. */
  current(name: string): Promise<Generation | null>
  /** The generation a job has made of a packet, if any. */
  ofJob(name: string, jobId: string): Promise<number | null>
  /**
   * Commits a manifest as the next generation, once per job. @returns its number.
   * @throws taken() when another packet or files of others hold the name and `force` is false.
   */
  commit(name: string, manifest: Manifest, options: { force: boolean; taken: () => Error }): Promise<number>
}

// Manifests never change, so a key is all that a cached one needs; those of one-part packets are about 300 bytes.
const manifestsCached = 5_000

export function createGenerations(store: ObjectStore): Generations {
  const cache = new LRUCache<string, Manifest>({ max: manifestsCached })

  async function list(name: string): Promise<number[]> {
    const numbers: number[] = []
    for await (const { key } of store.list(generationsOf(name))) {
      const parsed = parseGenerationKey(key)
      if (parsed?.name === name) numbers.push(parsed.generation)
    }
    return numbers.sort((a, b) => a - b)
  }

  async function read(name: string, generation: number): Promise<Manifest | null> {
    const key = generationKey(name, generation)
    const cached = cache.get(key)
    if (cached) return cached
    const bytes = await store.get(key)
    if (bytes === null) return null
    const manifest = JSON.parse(bytes.toString()) as Manifest
    cache.set(key, manifest)
    return manifest
  }

  async function highest(name: string): Promise<Generation | null> {
    // A generation that is gone by the time it is read was superseded and swept: look again.
    for (let attempt = 0; attempt < 3; attempt++) {
      const generation = (await list(name)).at(-1)
      if (generation === undefined) return null
      const manifest = await read(name, generation)
      if (manifest) return { generation, manifest }
    }
    throw errors.storeAway(new Error(`the generations of a packet are listed but cannot be read`))
  }

  async function ownAmong(name: string, generations: readonly number[], jobId: string): Promise<number | null> {
    for (const generation of generations.toReversed()) {
      if ((await read(name, generation))?.jobId === jobId) return generation
    }
    return null
  }

  async function current(name: string): Promise<Generation | null> {
    const latest = await highest(name)
    return latest?.manifest.removed ? null : latest
  }

  const generations: Generations = {
    list,
    read,
    highest,
    current,
    ofJob: async (name, jobId) => ownAmong(name, await list(name), jobId),
    async commit(name, manifest, { force, taken }) {
      const bytes = Buffer.from(JSON.stringify(manifest))
      for (;;) {
        // Others' files are looked for first: the plain ones of a twin of this job appear only after its generation.
        const others = force ? [] : await othersFiles(store, generations, name)
        const numbers = await list(name)
        const own = await ownAmong(name, numbers, manifest.jobId)
        if (own !== null) return own
        const [last = 0] = numbers.slice(-1)
        if (!force && (others.length > 0 || (last > 0 && !(await read(name, last))?.removed))) throw taken()
        const next = last + 1
        const outcome = await store.create(generationKey(name, next), bytes)
        if (outcome === 'created') return next
        // A 412 may be our own first PUT whose answer was lost, so look who wrote it before calling it a conflict.
        const written = await read(name, next)
        if (written?.jobId === manifest.jobId) return next
        if (written !== null && !force && !written.removed) throw taken()
        if (written === null && outcome === 'lost') throw errors.storeAway(new Error('the commit had no answer'))
      }
    },
  }
  return generations
}
