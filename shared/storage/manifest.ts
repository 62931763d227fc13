import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { KeyKind } from '../../packet/state/keys.ts'
import { AppError } from '../errors/app-error.ts'
import * as errors from '../errors/catalogue.ts'

/** The fields of a part that storage relies on. */
const reliablePart = z.object({
  key: z.string(),
  /** Bytes of the JSON, whether or not it is stored compressed. */
  bytes: z.int().nonnegative(),
  /** How the object is compressed; absent: it is not. */
  compression: z.literal('gzip').exactOptional(),
})

export interface ManifestPart extends z.infer<typeof reliablePart> {
  pairs: number
  /** The etag of the object. */
  etag: string
  /** Digest of the JSON, in hexadecimal. */
  sha256: string
  /** The number of statements of each kind. */
  statements: Readonly<Record<string, number>>
  /** Bytes of the object; absent: `bytes`. */
  storedBytes?: number
}

const reliablePiece = z.object({ key: z.string() })

/** The fields that storage relies on. A newer version may write more. */
const reliable = z.object({
  jobId: z.string(),
  createdAt: z.iso.datetime(),
  /** Absent: never. Readers treat the packet as removed from then on. */
  expiresAt: z.iso.datetime().exactOptional(),
  /** This generation records the removal of the packet; it has no parts. */
  removed: z.literal(true).exactOptional(),
  /** This generation only prevents its job from committing; readers skip it. */
  isVoid: z.literal(true).exactOptional(),
  /** For a void generation: the generation that readers see instead, 0 if none. */
  over: z.int().nonnegative().exactOptional(),
  parts: z.array(reliablePart),
  /** Only of a packet that may be a base. */
  state: z.object({ digests: z.array(reliablePiece), lines: z.array(reliablePiece) }).exactOptional(),
})

/** A stored piece of a state. */
export interface StatePiece {
  key: string
  bytes: number
  /** Digest of the bytes, in hexadecimal. */
  sha256: string
}

/**
 * The index of the whole state that a packet leads to, on top of its base if it has one. docs/storage.md#states
 */
export interface StoredState {
  /** SHA-256 of all digests: two packets with the same set of pairs lead to the same state. */
  sha256: string
  pairs: number
  nodes: number
  relationships: number
  /** The packet that the target must have; null if this one is whole. `state`: the `sha256` of its state. */
  base: { fileName: string; generation: number; state: string } | null
  /** Identifies the labels and id properties that gave the nodes their identities. */
  indices: string
  /** The kinds of keys of nodes and cleanups in the lines; null if they are too many to list. */
  keyKinds: KeyKind[] | null
  /** Whether pairs name nodes that lines do not: keep-lists of relationships that no pair upserts. */
  hasUnlisted: boolean
  /** Sorted digests of pairs, 16 bytes each, divided into pieces. */
  digests: StatePiece[]
  /** Sorted lines, divided into pieces, each compressed with zstd by itself. `first`: the hash of its first line. */
  lines: (StatePiece & { first: number })[]
}

/** One generation of a packet. It is written once and never changed. */
export interface Manifest extends z.infer<typeof reliable> {
  /** Informational only: Redis counts attempts and may repeat a number after data loss. */
  attempt: number
  /** The run that wrote it. */
  run?: string
  parts: ManifestPart[]
  state?: StoredState
  /** Describes what the packet holds. Storage keeps it without reading it. */
  content?: object
}

/** @throws packetDamaged if it is not JSON, or has a format that this version does not know. */
export function parseManifest(key: string, json: Buffer): Manifest {
  let manifest: Manifest
  try {
    manifest = JSON.parse(json.toString())
  } catch (cause) {
    throw errors.packetDamaged(new Error(`the manifest ${key} is not JSON`, { cause }))
  }
  const { error } = reliable.safeParse(manifest)
  if (error) throw errors.packetDamaged(new Error(`the manifest ${key} is of an unknown format`, { cause: error }))
  return manifest
}

/** The keys of everything that belongs to a generation. */
export const keysOf = ({ parts, state }: Manifest): string[] =>
  [...parts, ...(state?.digests ?? []), ...(state?.lines ?? [])].map(({ key }) => key)

export const isDamage = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'packetDamaged'

/** The result of `work`, or of `otherwise` if a manifest is unreadable; throws other errors. */
export const unlessUnreadable = <T>(work: Promise<T>, otherwise: (error: AppError) => T): Promise<T> =>
  work.catch((error) => {
    if (isDamage(error)) return otherwise(error)
    throw error
  })

const dayMs = 24 * 3_600_000

/** The manifest of a packet that expires `days` after it was created; null: never. */
export const expiringAfter = (days: number | null, manifest: Manifest): Manifest =>
  days === null
    ? manifest
    : { ...manifest, expiresAt: new Date(Date.parse(manifest.createdAt) + Math.round(days * dayMs)).toISOString() }

/** `now`: by the clock of the store. */
export const hasExpired = ({ expiresAt }: { expiresAt?: string | undefined }, now: number): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now

/** Whether readers see a packet if this is the highest generation that is not void. `now`: by the clock of the store. */
export const isVisible = (manifest: Manifest, now: number): boolean => !manifest.removed && !hasExpired(manifest, now)

/** Manifest that records the removal of a packet. */
export const removal = (now = Date.now()): Manifest => ({
  jobId: randomUUID(),
  attempt: 0,
  createdAt: new Date(now).toISOString(),
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
