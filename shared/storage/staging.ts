import type { Manifest, ManifestPart } from './generations.ts'
import { partKey } from './keys.ts'
import type { ObjectStore } from './object-store.ts'

interface Part {
  /** From 1. */
  number: number
  bytes: Buffer
  pairs: number
}

/** The parts of one attempt at a job, or at one slice of it, on their way into the store, under keys that no other attempt has. */
export interface Staging {
  /** Stores a part. */
  put(part: Part): Promise<void>
  /** What was stored, in part order. */
  readonly parts: readonly ManifestPart[]
  manifest(): Manifest
  /** Removes what was stored, after a run that failed: nothing refers to it. */
  discard(): Promise<void>
}

export function stageParts(store: ObjectStore, name: string, jobId: string, attempt: number, slice = 0): Staging {
  const parts: ManifestPart[] = []
  return {
    parts,
    async put({ number, bytes, pairs }) {
      const key = partKey(name, jobId, attempt, slice, number)
      const etag = await store.put(key, bytes)
      parts[number - 1] = { key, bytes: bytes.length, pairs, etag }
    },
    manifest: () => ({ jobId, attempt, createdAt: new Date().toISOString(), parts }),
    async discard() {
      for (const part of parts) if (part) await store.remove(part.key)
    },
  }
}
