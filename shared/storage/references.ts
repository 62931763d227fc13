import type { AppError } from '../errors/app-error.ts'
import { inBatches } from '../store/batches.ts'
import type { Generations } from './generations.ts'
import { isDamage, keysOf } from './manifest.ts'

const none: ReadonlySet<string> = new Set()

export type References = ReturnType<typeof createReferences>

/**
 * Parts and states that the generations of one packet refer to. Reads each manifest once, however many runs are checked, and holds
 * one number per generation in memory.
 */
export function createReferences(generations: Generations, name: string) {
  const made = new Map<string, number>()
  let seen = 0
  let unreadable: AppError | null = null
  // Runs of one job are checked one after the other.
  let last: { jobId: string; keys: ReadonlySet<string> } | null = null

  /** Adds the generations committed since the last look. */
  async function lookAgain() {
    const above = (await generations.above(name, seen)).filter((number) => number > seen)
    await inBatches(above, async (number) => {
      const manifest = await generations.read(name, number).catch((error) => {
        if (isDamage(error)) unreadable = error
        throw error
      })
      if (manifest) made.set(manifest.jobId, number)
    })
    seen = Math.max(seen, ...above.slice(0, 1))
  }

  return {
    name,
    /**
     * Keys of the parts of a job's generation; empty if the job has none at this moment.
     * @throws packetDamaged for every job if any generation is unreadable: it may refer to the parts of any job.
     */
    async of(jobId: string): Promise<ReadonlySet<string>> {
      if (unreadable) throw unreadable
      if (last?.jobId === jobId) return last.keys
      if (!made.has(jobId)) await lookAgain()
      const generation = made.get(jobId)
      const manifest = generation === undefined ? null : await generations.read(name, generation)
      if (manifest === null) return none
      last = { jobId, keys: new Set(keysOf(manifest)) }
      return last.keys
    },
  }
}
