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
  /** For people. Redis counts attempts, and may count one twice after it lost what it knew: nothing here depends on it. */
  attempt: number
  /** The run that wrote it. */
  run?: string
  /** ISO 8601. */
  createdAt: string
  parts: ManifestPart[]
  /** This generation says that the packet was removed; it has no parts. */
  removed?: true
  /** This one says only that its job will not commit any more: readers look past it. */
  isVoid?: true
}

/** The generation that says that a packet was removed. */
export const removal = (): Manifest => ({
  jobId: randomUUID(),
  attempt: 0,
  createdAt: new Date().toISOString(),
  parts: [],
  removed: true,
})

/**
 * The generation of a job that failed after a run of it had begun to commit. That run may be frozen, and wake much later:
 * then it finds that its job has a generation, and commits nothing.
 */
export const voided = (jobId: string): Manifest => ({
  jobId,
  attempt: 0,
  createdAt: new Date().toISOString(),
  parts: [],
  isVoid: true,
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
   * @throws taken() when another packet or files of others hold the name and `force` is false; jobVoided when the job
   * has failed meanwhile.
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
      const found = await highestOf(name, await list(name))
      if (found !== 'gone') return found
    }
    throw errors.storeAway(new Error(`the generations of a packet are listed but cannot be read`))
  }

  async function highestOf(name: string, numbers: readonly number[]): Promise<Generation | null | 'gone'> {
    for (const generation of numbers.toReversed()) {
      const manifest = await read(name, generation)
      if (manifest === null) return 'gone'
      if (!manifest.isVoid) return { generation, manifest }
    }
    return null
  }

  async function ownAmong(name: string, numbers: readonly number[], jobId: string): Promise<Generation | null> {
    for (const generation of numbers.toReversed()) {
      const manifest = await read(name, generation)
      if (manifest?.jobId === jobId) return { generation, manifest }
    }
    return null
  }

  /** A job has one generation: that of the run that committed first, or the void one of its failure. */
  function committed({ generation, manifest }: Generation): number {
    if (manifest.isVoid) throw errors.jobVoided()
    return generation
  }

  async function isHeld(name: string, numbers: readonly number[]): Promise<boolean> {
    const found = await highestOf(name, numbers)
    return found === 'gone' || (found !== null && !found.manifest.removed)
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
    async ofJob(name, jobId) {
      const own = await ownAmong(name, await list(name), jobId)
      return own === null || own.manifest.isVoid ? null : own.generation
    },
    async commit(name, manifest, { force, taken }) {
      const bytes = Buffer.from(JSON.stringify(manifest))
      for (;;) {
        // Others' files are looked for first: the plain ones of a twin of this job appear only after its generation.
        const others = force ? [] : await othersFiles(store, generations, name)
        const numbers = await list(name)
        const own = await ownAmong(name, numbers, manifest.jobId)
        if (own !== null) return committed(own)
        if (!force && (others.length > 0 || (await isHeld(name, numbers)))) throw taken()
        const next = (numbers.at(-1) ?? 0) + 1
        const outcome = await store.create(generationKey(name, next), bytes)
        if (outcome === 'created') return next
        // A 412 may be our own first PUT whose answer was lost, so look who wrote it before calling it a conflict.
        const written = await read(name, next)
        if (written?.jobId === manifest.jobId) return committed({ generation: next, manifest: written })
        if (written !== null && !force && !written.removed && !written.isVoid) throw taken()
        if (written === null && outcome === 'lost') throw errors.storeAway(new Error('the commit had no answer'))
      }
    },
  }
  return generations
}
