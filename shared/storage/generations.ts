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
  /** Of a void one: the generation that readers see instead, 0 without any. */
  over?: number
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

export interface CommitOptions {
  force: boolean
  /** The error of a commit whose name is taken. */
  taken: () => Error
  /**
   * Up to this generation none is of the job: the latest when it was submitted. `Infinity`, where the job has begun just
   * now and commits once; 0, where nobody knows, makes every commit look at all there are.
   */
  above?: number
  /** No manifest is sent after this time (epoch milliseconds): what a later look at the generations rests on may be swept. */
  until?: number
}

/**
 * A packet is a list of generations; the highest is the packet. Creating the next one's manifest is the commit, and
 * the store's create-if-absent is all that decides. Contract 6, How.
 *
 * A job may run more than once: after a crash, or twice at the same time when a worker froze past its lock. Each run
 * brings its own parts. Between listing the generations and creating the next, the other run may commit: then the
 * create finds the number taken, reads whose it is, and a manifest of the same job is success for both. A run that
 * wakes up late lists its job's generation, also below newer ones (`sweepStorage` says how long they stay), and commits
 * nothing. So a job never becomes two generations, and orphaned parts are all that a loser leaves.
 *
 * What is asked costs the same however many generations there were: the latest comes first in a listing, a void one
 * names the one below that readers see, and a job looks only at those above the latest at its submission.
 */
export interface Generations {
  /** Numbers of a packet's generations, ascending. The longer its history, the more requests. */
  list(name: string): Promise<number[]>
  /** Numbers above `below`, descending, and one more if there is any: so at least the latest. */
  above(name: string, below: number): Promise<number[]>
  /** null when the generation was swept. */
  read(name: string, generation: number): Promise<Manifest | null>
  /** The number of the latest generation, whatever it says (0 without one), and the word about the packet. */
  latest(name: string): Promise<{ number: number; highest: Generation | null }>
  /** What readers see while this is the latest generation; `gone` when it was swept. */
  seenAt(name: string, generation: number): Promise<Generation | null | 'gone'>
  /** The latest word about a packet, that it was removed included. */
  highest(name: string): Promise<Generation | null>
  /** The packet, if there is one. */
  current(name: string): Promise<Generation | null>
  /** The generation above `above` that a job has made of a packet, if any. */
  ofJob(name: string, jobId: string, above?: number): Promise<number | null>
  /**
   * Commits a manifest as the next generation, once per job. @returns its number.
   * @throws taken() when another packet or files of others hold the name and `force` is false; jobVoided when the job
   * has failed meanwhile; jobInterrupted after `until`.
   */
  commit(name: string, manifest: Manifest, options: CommitOptions): Promise<number>
}

// Manifests never change, so a key is all that a cached one needs. About what they take in memory, in bytes.
const cached = { maxSize: 32 * 2 ** 20, sizeCalculation: ({ parts }: Manifest) => 500 + 300 * parts.length }

// Few are wanted: the latest, and those that were committed while a job waited and ran; each may have a marker.
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
      // Those that an earlier version named are listed in ascending order.
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
    // A generation that is gone by the time it is read was superseded and swept: look again.
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
    // Without `over` it is of an earlier version, and few are.
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

  /** A job has one generation: that of the run that committed first, or the void one of its failure. */
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
        // Others' files are looked for first: the plain ones of a twin of this job appear only after its generation.
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
