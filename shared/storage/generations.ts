import { setTimeout as delay } from 'node:timers/promises'
import * as errors from '../errors/catalogue.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { createGenerationReader, type Generation, newManifestCache } from './generation-reader.ts'
import { generationKey } from './keys.ts'
import { isVisible, type Manifest, removal, unlessUnreadable } from './manifest.ts'
import { othersFiles } from './plain-files.ts'

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
  /** No manifest is sent after this time (epoch milliseconds), because sweeps may then remove the job's generation. */
  until?: number
}

export type Generations = ReturnType<typeof createGenerations>

/**
 * A packet is a list of generations; the highest is the packet. Creating the manifest of the next one is the commit.
 * Only the store's create-if-absent decides who commits. Contract 6, How; docs/storage.md#publishing.
 *
 * A job may run more than once, also concurrently, but never creates two generations (docs/storage.md#i3): every run
 * looks for a generation of its job before it creates one, and again if a create finds the number taken.
 *
 * The cost does not grow with the number of generations: a job checks only those above the latest at its submission.
 */
export function createGenerations(store: ObjectStore, cache = newManifestCache()) {
  const reader = createGenerationReader(store, cache)
  return {
    ...reader,
    /**
     * Commits a manifest as the next generation, once per job. @returns its number.
     * @throws taken() if another packet or others' files have the name and `force` is false; jobVoided if the job has
     * failed in the meantime; jobInterrupted after `until`.
     */
    async commit(
      name: string,
      manifest: Manifest,
      { force, taken, above: below = 0, latest, until = Number.POSITIVE_INFINITY }: CommitOptions,
    ): Promise<number> {
      const hidden = createHiddenNumbers()
      let missing = 0
      for (let known = latest; ; known = undefined) {
        // List others' files first: plain files of a concurrent run of this job appear only after its generation.
        const others = force ? [] : await othersFiles(store, reader, name)
        const isKnown = known !== undefined && others.length === 0
        const numbers = isKnown ? [known as number] : await reader.above(name, below)
        if (!isKnown) await hidden.requireListed(numbers[0] ?? 0)
        const candidates = numbers.filter((number) => number > below)
        const making = reader.madeBy(name, manifest.jobId, candidates)
        // A void generation keeps every run from committing, also if one has made a manifest that cannot be read now.
        const own = await (manifest.isVoid ? unlessUnreadable(making, () => null) : making)
        if (own !== null) return committed(own)
        const [latestNumber = 0] = numbers
        const found = force ? null : await reader.seenAt(name, latestNumber)
        const over = manifest.isVoid ? await reader.shownAt(name, latestNumber) : null
        // A sweep has removed the generation since, so list again.
        if (over === 'gone' || (found === 'gone' && isKnown)) {
          if (!isKnown && ++missing > mostMissing)
            throw errors.packetDamaged(new Error(`a generation below ${latestNumber} does not exist`))
          continue
        }
        const isHeld = found === 'gone' || (found !== null && isVisible(found.manifest, store.now()))
        if (!force && (others.length > 0 || isHeld)) throw taken()
        const next = latestNumber + 1
        const made = over === null ? manifest : { ...manifest, over }
        const bytes = Buffer.from(JSON.stringify(made))
        if (Date.now() > until) throw errors.jobInterrupted()
        const outcome = await store.create(generationKey(name, next), bytes)
        if (outcome === 'created') {
          reader.remember(name, next, made, bytes)
          return next
        }
        // A 412 may come from our own first PUT, whose response was lost: check the author before reporting a conflict.
        const written = await reader.read(name, next)
        if (written?.jobId === manifest.jobId) return committed({ generation: next, manifest: written })
        if (written === null && outcome === 'lost') throw errors.storeAway(new Error('the commit had no answer'))
        hidden.taken(next)
      }
    },
    removeAt,
    /**
     * Removes the packet that is the latest at the time of the call. @returns the number of the removal; null if another
     * generation has replaced that packet since. That generation stays.
     */
    async remove(name: string): Promise<number | null> {
      const hidden = createHiddenNumbers()
      const { number, highest: seen } = await reader.latest(name)
      for (let latest = number; ; ) {
        if (await removeAt(name, latest)) return latest + 1
        hidden.taken(latest + 1)
        const { number, highest } = await reader.latest(name)
        await hidden.requireListed(number)
        if (highest?.generation !== seen?.generation) return null
        latest = number
      }
    },
  }

  /**
   * Removes the packet, unless a generation above `latest` exists. @returns whether it did; also false if the store did
   * not answer.
   */
  async function removeAt(name: string, latest: number): Promise<boolean> {
    const manifest = removal(store.now())
    const outcome = await store.create(generationKey(name, latest + 1), Buffer.from(JSON.stringify(manifest)))
    if (outcome === 'created') return true
    // The answer of the first PUT may have been lost.
    return (await reader.read(name, latest + 1))?.jobId === manifest.jobId
  }
}

/** Times that a void generation looks for the one below it. Beyond this limit the answer is `500 packetDamaged`. */
const mostMissing = 2

/**
 * Listings that lack a number which the store has refused to create. Beyond this limit the publish ends with
 * `503 storeAway`.
 */
const mostHidden = 10
const pauseMs = 50

/** Ends the search for a free number on a store that does not list what it has, perhaps only for a moment. */
function createHiddenNumbers() {
  let expected = 0
  let count = 0
  return {
    /** Notes that the store refused to create this number, because it is taken. */
    taken(number: number) {
      expected = number
    },
    /** @throws storeAway if listings went on lacking a taken number */
    async requireListed(latest: number) {
      if (latest >= expected) return
      if (++count > mostHidden) throw errors.storeAway(new Error(`generation ${expected} exists, but is not listed`))
      await delay(pauseMs * count)
    },
  }
}

/** A job has one generation: its first run to commit made it, or it is void because the job failed. */
function committed({ generation, manifest }: Generation): number {
  if (manifest.isVoid) throw errors.jobVoided()
  return generation
}
