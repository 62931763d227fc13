import { hash, randomUUID } from 'node:crypto'
import type { ObjectStore } from '../store/object-store.ts'
import { type Compression, compressed } from './compression.ts'
import { partKey, stateKey } from './keys.ts'
import type { Manifest, ManifestPart, StatePiece } from './manifest.ts'

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
  const pieces: StatePiece[] = []
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
    /** Stores a piece of the state that the parts lead to. */
    async putState(bytes: Buffer): Promise<StatePiece> {
      const key = stateKey(name, jobId, run, slice, pieces.length + 1)
      const piece = { key, bytes: bytes.length, sha256: hash('sha256', bytes) }
      pieces.push(piece)
      await store.put(key, bytes)
      return piece
    },
    manifest: (): Manifest => ({ jobId, attempt, run, createdAt: new Date().toISOString(), parts }),
    /** Removes what was stored. Only for a run to which no manifest or slice result refers, now or later. */
    async discard() {
      for (const stored of [...parts, ...pieces]) if (stored) await store.remove(stored.key)
    },
  }
}
