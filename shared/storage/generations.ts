import { AppError } from '../errors/app-error.ts'
import * as errors from '../errors/catalogue.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { generationKey } from './keys.ts'
import { expiringAfter, isDamage, isVisible, type Manifest, removal, unlessUnreadable } from './manifest.ts'
import { othersFiles } from './objects-of-a-name.ts'
import { createSequence, newManifestCache } from './sequence.ts'

export interface Generation {
  generation: number
  manifest: Manifest
}

/** Time limit of a commit. After a longer freeze a publisher sends no manifest: sweeps may have removed its parts. */
export const commitMs = 900_000

export interface CommitOptions {
  force: boolean
  /** Creates the error to throw if the name is taken. */
  taken: () => Error
  /**
   * The latest generation when the job was submitted: no generation up to this one belongs to the job. `Infinity` if
   * the job has just begun and commits once; 0 (unknown) makes every commit check all generations.
   */
  above?: number
  /**
   * The latest generation at a time less than a day ago. If the next number is still free, nothing was committed since,
   * because sweeps keep each generation for longer. So the commit lists generations only if the number is taken, or the
   * latest generation is gone.
   */
  latest?: number | undefined
  /** Whether no file of others had the name a moment ago. Then the commit looks for one only if `latest` is wrong. */
  isFree?: boolean
  /** No manifest is sent after this time (epoch milliseconds), because sweeps may then remove the job's generation. */
  until?: number
}

export interface StagedPacket {
  /** The staged manifest. The commit replaces its `createdAt`, because the life of the packet begins then. */
  staged: Manifest
  /** What the packet holds. */
  content: object
  /** Days that the packet lives; null: for ever. */
  days: number | null
  /** Removes the parts of this publisher. */
  discard: () => Promise<void>
}

/** Times that a void generation looks for the one below it. Beyond this limit the answer is `500 packetDamaged`. */
const mostMissing = 2

export type Generations = ReturnType<typeof createGenerations>

/**
 * A packet is a list of generations; the highest is the packet. Creating the manifest of the next one is the commit.
 * Only the store's create-if-absent decides who commits. Contract 6, How; docs/storage.md#publishing.
 *
 * A job may run more than once, also concurrently, but never creates two generations (docs/storage.md#i3): every run
 * looks for a generation of its job before it creates one, and again if a create finds the number taken.
 *
 * The cost does not grow with the number of generations: a void generation names the one that readers see, and a job
 * checks only those above the latest at its submission.
 */
export function createGenerations(store: ObjectStore, cache = newManifestCache()) {
  const sequence = createSequence(store, cache)
  const { above, read } = sequence

  /** The number of the latest generation of any kind (0 if none), and the latest generation that is not void. */
  async function latestOf(name: string): Promise<{ number: number; highest: Generation | null }> {
    // A generation that disappears before it is read was superseded and swept: retry.
    for (let attempt = 0; attempt < 3; attempt++) {
      const number = await sequence.latest(name)
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

  /**
   * Commits a manifest as the next generation, once per job. @returns its number.
   * @throws taken() if another packet or others' files have the name and `force` is false; jobVoided if the job has
   * failed in the meantime; jobInterrupted after `until`; storeAway if it may be committed.
   */
  async function commit(
    name: string,
    manifest: Manifest,
    { force, taken, above: below = 0, latest, isFree = false, until = Number.POSITIVE_INFINITY }: CommitOptions,
  ): Promise<number> {
    const search = sequence.search(name)
    let missing = 0
    for (let known = latest; ; known = undefined) {
      const isKnown = known !== undefined
      const numbers = isKnown ? [known as number] : await search.above(below)
      const candidates = numbers.filter((number) => number > below)
      const making = madeBy(name, manifest.jobId, candidates)
      // A void generation keeps every run from committing, also if one has made a manifest that cannot be read now.
      const own = await (manifest.isVoid ? unlessUnreadable(making, () => null) : making)
      if (own !== null) return committed(own)
      const [latestNumber = 0] = numbers
      const found = force ? null : await seenAt(name, latestNumber)
      const over = manifest.isVoid ? await shownAt(name, latestNumber) : null
      // A sweep has removed the generation since, so list again.
      if (over === 'gone' || (found === 'gone' && isKnown)) {
        if (!isKnown && ++missing > mostMissing)
          throw errors.packetDamaged(new Error(`a generation below ${latestNumber} does not exist`))
        continue
      }
      const isHeld = found === 'gone' || (found !== null && isVisible(found.manifest, store.now()))
      // A name that was ever a packet belongs to the service. Files that appear after this look are copies, if the number
      // is taken by then.
      const mayBeOthers = !force && found === null && !(isKnown && isFree)
      const others = mayBeOthers ? await othersFiles(store, { latest: latestOf, read }, name) : []
      if (!force && (isHeld || others.length > 0)) throw taken()
      const next = latestNumber + 1
      const made = over === null ? manifest : { ...manifest, over }
      if (Date.now() > until) throw errors.jobInterrupted()
      const holder = await search.create(next, made)
      if (holder === made) return next
      if (holder?.jobId === manifest.jobId) return committed({ generation: next, manifest: holder })
    }
  }

  /** Removes the packet, unless a generation above `latest` exists. @returns whether it did. @throws storeAway */
  const removeAt = async (name: string, latest: number, search = sequence.search(name)): Promise<boolean> => {
    const manifest = removal(store.now())
    return (await search.create(latest + 1, manifest))?.jobId === manifest.jobId
  }

  return {
    /** The store's time, epoch milliseconds. */
    now: () => store.now(),
    list: sequence.list,
    above,
    read,
    isLatest: sequence.isLatest,
    latest: latestOf,
    seenAt,
    commit,
    /**
     * Commits staged parts as the next generation of a packet, or discards them if the store certainly has no manifest
     * of this publisher. After `storeAway`, `packetDamaged` or an unexpected error it may have one.
     * @throws what `commit` throws
     */
    async commitStaged(
      name: string,
      { staged, content, days, discard }: StagedPacket,
      options: CommitOptions,
    ): Promise<Generation> {
      const manifest = expiringAfter(days, { ...staged, createdAt: new Date(store.now()).toISOString(), content })
      try {
        return { generation: await commit(name, manifest, options), manifest }
      } catch (error) {
        const isCertain = error instanceof AppError && error.code !== 'storeAway' && !isDamage(error)
        if (isCertain) await discard().catch(() => {})
        throw error
      }
    },
    removeAt: (name: string, latest: number) => removeAt(name, latest),
    /**
     * Removes the packet that is the latest at the time of the call. @returns the number of the removal; null if another
     * generation has replaced that packet since. That generation stays.
     */
    async remove(name: string): Promise<number | null> {
      const search = sequence.search(name)
      const { number, highest: seen } = await latestOf(name)
      for (let below = number; ; ) {
        if (await removeAt(name, below, search)) return below + 1
        await search.above(Number.POSITIVE_INFINITY)
        const { number, highest } = await latestOf(name)
        if (highest?.generation !== seen?.generation) return null
        below = number
      }
    },
    /** The latest generation that is not void; it may be a removal, or have expired. */
    highest: async (name: string) => (await latestOf(name)).highest,
    /** The packet's generation; null if there is none, or the packet was removed or has expired. */
    async current(name: string): Promise<Generation | null> {
      const { highest } = await latestOf(name)
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

/** A job has one generation: its first run to commit made it, or it is void because the job failed. */
function committed({ generation, manifest }: Generation): number {
  if (manifest.isVoid) throw errors.jobVoided()
  return generation
}

/**
 * The packet that a generation replaced; null if its name was free, or if the packet was removed, has expired, was swept
 * or cannot be read.
 */
export async function replacedBy(generations: Generations, name: string, { generation }: Generation) {
  const seen = await unlessUnreadable(generations.seenAt(name, generation - 1), () => null)
  return seen !== null && seen !== 'gone' && isVisible(seen.manifest, generations.now()) ? seen : null
}
