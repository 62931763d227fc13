import { hash, randomUUID } from 'node:crypto'
import type { ObjectStore } from '../store/object-store.ts'
import { type Compression, compressed } from './compression.ts'
import { partKey } from './keys.ts'
import type { Manifest, ManifestPart } from './manifest.ts'

interface Part {
  /** From 1. */
  number: number
  bytes: Buffer
  pairs: number
  statements: Readonly<Record<string, number>>
}

interface Staged extends Pick<Manifest, 'jobId' | 'attempt'> {
  compression: Compression
}

export type Staging = ReturnType<typeof stageParts>

/**
 * Stores the parts of one run of a job, or of one of its slices, before they are committed. A random id makes their
 * keys unique to this run. Attempt numbers would not be unique: a Redis that fails over or is restored may count some
 * of them twice, and a run would then discard the parts of another.
 */
export function stageParts(store: ObjectStore, name: string, { jobId, attempt, compression }: Staged, slice = 0) {
  const run = randomUUID()
  const parts: ManifestPart[] = []
  return {
    /** Identifies this run; part of its keys. */
    run,
    /** Stored parts, in part order. */
    parts: parts as readonly ManifestPart[],
    async put({ number, bytes, pairs, statements }: Part) {
      const sha256 = hash('sha256', bytes)
      const key = partKey(name, jobId, run, slice, number)
      const encoding = compression === 'none' ? undefined : compression
      const stored = encoding ? await compressed(bytes) : bytes
      const etag = await store.put(key, stored, encoding)
      const storedAs = encoding ? { compression: encoding, storedBytes: stored.length } : {}
      parts[number - 1] = { key, bytes: bytes.length, pairs, etag, sha256, statements, ...storedAs }
    },
    manifest: (): Manifest => ({ jobId, attempt, run, createdAt: new Date().toISOString(), parts }),
    /** Removes the stored parts. Only for a run to which no manifest or slice result refers, now or later. */
    async discard() {
      for (const part of parts) if (part) await store.remove(part.key)
    },
  }
}
