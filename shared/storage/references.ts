import { inBatches } from './batches.ts'
import type { Generations } from './generations.ts'

/** What the generations of one packet refer to. Each manifest is read once, however many runs are asked about. */
export interface References {
  readonly name: string
  /** Keys of the parts of a job's generation; none without one, as it is now. */
  of(jobId: string): Promise<ReadonlySet<string>>
}

const none: ReadonlySet<string> = new Set()

/** Memory is a number for each generation. */
export function createReferences(generations: Generations, name: string): References {
  const made = new Map<string, number>()
  let seen = 0
  // Runs of one job are asked about one after the other.
  let last: { jobId: string; keys: ReadonlySet<string> } | null = null

  /** Takes up what was committed since. */
  async function lookAgain() {
    const above = (await generations.above(name, seen)).filter((number) => number > seen)
    await inBatches(above, async (number) => {
      const manifest = await generations.read(name, number)
      if (manifest) made.set(manifest.jobId, number)
    })
    seen = Math.max(seen, ...above.slice(0, 1))
  }

  return {
    name,
    async of(jobId) {
      if (last?.jobId === jobId) return last.keys
      if (!made.has(jobId)) await lookAgain()
      const generation = made.get(jobId)
      const manifest = generation === undefined ? null : await generations.read(name, generation)
      if (manifest === null) return none
      last = { jobId, keys: new Set(manifest.parts.map(({ key }) => key)) }
      return last.keys
    },
  }
}
