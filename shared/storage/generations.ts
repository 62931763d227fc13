import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import * as errors from '../errors/catalogue.ts'
import { earlierGenerationKey, generationKey, generationsOf, parseGenerationKey } from './keys.ts'
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
  /** Informational: Redis counts attempts and may repeat a number after data loss, so nothing here depends on it. */
  attempt: number
  /** The run that wrote it. */
  run?: string
  /** ISO 8601. */
  createdAt: string
  parts: ManifestPart[]
  /** This generation records the removal of the packet; it has no parts. */
  removed?: true
  /** This generation only prevents its job from committing; readers skip it. */
  isVoid?: true
  /** For a void generation: the one that readers see instead, 0 if none. */
  over?: number
}

/** Manifest that records the removal of a packet. */
export const removal = (): Manifest => ({
  jobId: randomUUID(),
  attempt: 0,
  createdAt: new Date().toISOString(),
  parts: [],
  removed: true,
})

/**
 * Manifest of a job that failed after a run of it had begun to commit. If that run was frozen and resumes much later,
 * it finds that its job has a generation and commits nothing.
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

export interface CommitOptions {
  force: boolean
  /** Creates the error to throw if the name is taken. */
  taken: () => Error
  /**
   * No generation up to this one belongs to the job: the latest when it was submitted. `Infinity` if the job has only
   * just begun and commits once; 0 (unknown) makes every commit check all generations.
   */
  above?: number
  /** No manifest is sent after this time (epoch milliseconds): by then the job's own generation may be swept. */
  until?: number
}

/**
 * A packet is a list of generations; the highest is the packet. Creating the next one's manifest is the commit, decided
 * solely by the store's create-if-absent. Contract 6, How.
 *
 * A job may run more than once: after a crash, or concurrently when a worker froze past its lock. Each run writes its
 * own parts. If another run commits between listing the generations and creating the next, the create finds the number
 * taken and reads that manifest; if it has the same job, both runs succeed. A run that resumes late finds its job's
 * generation, also below newer ones (`sweepStorage` documents how long they stay), and commits nothing. So a job never
 * creates two generations, and a losing run leaves only orphaned parts.
 *
 * The cost does not grow with the number of generations: the latest comes first in a listing, a void one names the one
 * below that readers see, and a job checks only those above the latest at its submission.
 */
export interface Generations {
  /** Numbers of a packet's generations, ascending. The number of requests grows with its history. */
  list(name: string): Promise<number[]>
  /** Numbers above `below`, descending, and the next lower one if any; so at least the latest. */
  above(name: string, below: number): Promise<number[]>
  /** null if the generation was swept. */
  read(name: string, generation: number): Promise<Manifest | null>
  /** The number of the latest generation of any kind (0 if none), and the latest generation that is not void. */
  latest(name: string): Promise<{ number: number; highest: Generation | null }>
  /** The generation that readers see while this is the latest; `gone` if it was swept. */
  seenAt(name: string, generation: number): Promise<Generation | null | 'gone'>
  /** The latest generation that is not void; it may be a removal. */
  highest(name: string): Promise<Generation | null>
  /** The packet's generation; null if there is none or the packet was removed. */
  current(name: string): Promise<Generation | null>
  /** Number of the generation above `above` that a job committed; null if none. */
  ofJob(name: string, jobId: string, above?: number): Promise<number | null>
  /**
   * Commits a manifest as the next generation, once per job. @returns its number.
   * @throws taken() if another packet or others' files have the name and `force` is false; jobVoided if the job has
   * failed meanwhile; jobInterrupted after `until`.
   */
  commit(name: string, manifest: Manifest, options: CommitOptions): Promise<number>
}

// Manifests are immutable, so cached ones never become stale. Sizes approximate memory in bytes.
const cached = { maxSize: 32 * 2 ** 20, sizeCalculation: ({ parts }: Manifest) => 500 + 300 * parts.length }

// Few keys are needed: of the latest and of those committed while a job waited and ran, each perhaps with a marker.
const pageKeys = 20

export function createGenerations(store: ObjectStore): Generations {
  const cache = new LRUCache<string, Manifest>(cached)

  async function list(name: string): Promise<number[]> {
    const numbers: number[] = []
    for await (const { key } of store.list(generationsOf(name))) {
      const parsed = parseGenerationKey(key)
      if (parsed?.name === name) numbers.push(parsed.generation)
    }
    return numbers.sort((a, b) => a - b)
  }

  async function above(name: string, below: number): Promise<number[]> {
    const numbers: number[] = []
    for await (const { key } of store.list(generationsOf(name), { pageKeys })) {
      const parsed = parseGenerationKey(key)
      if (parsed?.name !== name) continue
      // Keys written by an earlier version are in ascending order.
      if (parsed.isEarlier) return (await list(name)).toReversed()
      numbers.push(parsed.generation)
      if (parsed.generation <= below) break
    }
    return numbers
  }

  async function read(name: string, generation: number): Promise<Manifest | null> {
    const key = generationKey(name, generation)
    const known = cache.get(key)
    if (known) return known
    const bytes = (await store.get(key)) ?? (await store.get(earlierGenerationKey(name, generation)))
    if (bytes === null) return null
    const manifest = JSON.parse(bytes.toString()) as Manifest
    cache.set(key, manifest)
    return manifest
  }

  async function latest(name: string): Promise<{ number: number; highest: Generation | null }> {
    // A generation that disappears before it is read was superseded and swept: retry.
    for (let attempt = 0; attempt < 3; attempt++) {
      const [number = 0] = await above(name, Number.POSITIVE_INFINITY)
      const highest = await seenAt(name, number)
      if (highest !== 'gone') return { number, highest }
    }
    throw errors.storeAway(new Error(`the generations of a packet are listed but cannot be read`))
  }

  async function seenAt(name: string, number: number): Promise<Generation | null | 'gone'> {
    if (number === 0) return null
    const manifest = await read(name, number)
    if (manifest === null) return 'gone'
    if (!manifest.isVoid) return { generation: number, manifest }
    // Without `over` it was written by an earlier version; there are few.
    const under = manifest.over ?? (await list(name)).findLast((each) => each < number) ?? 0
    return seenAt(name, under)
  }

  async function ownAmong(name: string, numbers: readonly number[], jobId: string): Promise<Generation | null> {
    for (const generation of numbers) {
      const manifest = await read(name, generation)
      if (manifest?.jobId === jobId) return { generation, manifest }
    }
    return null
  }

  /** A job has one generation: that of the run that committed first, or a void one if the job failed. */
  function committed({ generation, manifest }: Generation): number {
    if (manifest.isVoid) throw errors.jobVoided()
    return generation
  }

  const generations: Generations = {
    list,
    above,
    read,
    latest,
    seenAt,
    highest: async (name) => (await latest(name)).highest,
    async current(name) {
      const { highest } = await latest(name)
      return highest?.manifest.removed ? null : highest
    },
    async ofJob(name, jobId, below = 0) {
      const numbers = (await above(name, below)).filter((number) => number > below)
      const own = await ownAmong(name, numbers, jobId)
      return own === null || own.manifest.isVoid ? null : own.generation
    },
    async commit(name, manifest, { force, taken, above: below = 0, until = Number.POSITIVE_INFINITY }) {
      for (;;) {
        // Others' files first: plain files of a concurrent run of this job appear only after its generation.
        const others = force ? [] : await othersFiles(store, generations, name)
        const numbers = await above(name, below)
        const candidates = numbers.filter((number) => number > below)
        const own = await ownAmong(name, candidates, manifest.jobId)
        if (own !== null) return committed(own)
        const [latestNumber = 0] = numbers
        const found = force && !manifest.isVoid ? null : await seenAt(name, latestNumber)
        const isHeld = found === 'gone' || (found !== null && !found.manifest.removed)
        if (!force && (others.length > 0 || isHeld)) throw taken()
        const next = latestNumber + 1
        const over = manifest.isVoid && found !== 'gone' ? { over: found?.generation ?? 0 } : {}
        const bytes = Buffer.from(JSON.stringify({ ...manifest, ...over }))
        if (Date.now() > until) throw errors.jobInterrupted()
        const outcome = await store.create(generationKey(name, next), bytes)
        if (outcome === 'created') return next
        // A 412 may come from our own first PUT, whose response was lost: check the author before reporting a conflict.
        const written = await read(name, next)
        if (written?.jobId === manifest.jobId) return committed({ generation: next, manifest: written })
        if (written !== null && !force && !written.removed && !written.isVoid) throw taken()
        if (written === null && outcome === 'lost') throw errors.storeAway(new Error('the commit had no answer'))
      }
    },
  }
  return generations
}
