import { randomUUID } from 'node:crypto'
import type { Manifest, ManifestPart } from './generations.ts'
import { partKey } from './keys.ts'
import type { ObjectStore } from './object-store.ts'

interface Part {
  /** From 1. */
  number: number
  bytes: Buffer
  pairs: number
}

/** The parts of one run of a job, or of one of its slices, on their way into the store. */
export interface Staging {
  /** Names this run, and stands in its keys. */
  readonly run: string
  /** Stores a part. */
  put(part: Part): Promise<void>
  /** What was stored, in part order. */
  readonly parts: readonly ManifestPart[]
  manifest(): Manifest
  /** Removes what was stored. Only for a run that no manifest and no result of a slice refers to, nor ever will. */
  discard(): Promise<void>
}

/**
 * Stages under keys that no other run has: each makes a random id. The numbers of attempts would not do, for a Redis
 * that fails over or is restored counts some of them twice, and then a run would discard the parts of another.
 */
export function stageParts(
  store: ObjectStore,
  name: string,
  { jobId, attempt }: Pick<Manifest, 'jobId' | 'attempt'>,
  slice = 0,
): Staging {
  const run = randomUUID()
  const parts: ManifestPart[] = []
  return {
    run,
    parts,
    async put({ number, bytes, pairs }) {
      const key = partKey(name, jobId, run, slice, number)
      const etag = await store.put(key, bytes)
      parts[number - 1] = { key, bytes: bytes.length, pairs, etag }
    },
    manifest: () => ({ jobId, attempt, run, createdAt: new Date().toISOString(), parts }),
    async discard() {
      for (const part of parts) if (part) await store.remove(part.key)
    },
  }
}
