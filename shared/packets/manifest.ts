import { randomUUID } from 'node:crypto'
import { z } from 'zod'

export interface ManifestPart {
  key: string
  /** Bytes of the JSON, whether or not it is stored compressed. */
  bytes: number
  pairs: number
  /** The etag of the object. */
  etag: string
  /** Digest of the JSON, in hexadecimal. */
  sha256: string
  /** The number of statements of each kind. */
  statements: Readonly<Record<string, number>>
  /** How the object is compressed; absent: it is not. */
  compression?: 'gzip'
  /** Bytes of the object; absent: `bytes`. */
  storedBytes?: number
}

/** One generation of a packet. It is written once and never changed. */
export interface Manifest {
  jobId: string
  /** Informational only: Redis counts attempts and may repeat a number after data loss. */
  attempt: number
  /** The run that wrote it. */
  run?: string
  /** ISO 8601. */
  createdAt: string
  /** ISO 8601; absent: never. Readers treat the packet as removed from then on. */
  expiresAt?: string
  parts: ManifestPart[]
  /** Describes what the packet holds. Storage keeps it without reading it. */
  content?: object
  /** This generation records the removal of the packet; it has no parts. */
  removed?: true
  /** This generation only prevents its job from committing; readers skip it. */
  isVoid?: true
  /** For a void generation: the generation that readers see instead, 0 if none. */
  over?: number
}

/** A manifest that is not JSON, or has a format that this version does not know. */
export class UnreadableManifest extends Error {
  override readonly name = 'UnreadableManifest'
}

/** The fields that storage relies on. A newer version may write more. */
const reliable = z.looseObject({
  jobId: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
  removed: z.literal(true).optional(),
  isVoid: z.literal(true).optional(),
  over: z.int().nonnegative().optional(),
  parts: z.array(
    z.looseObject({ key: z.string(), bytes: z.int().nonnegative(), compression: z.literal('gzip').optional() }),
  ),
})

/** @throws UnreadableManifest unless it has what storage relies on. */
export function parseManifest(key: string, json: Buffer): Manifest {
  let manifest: Manifest
  try {
    manifest = JSON.parse(json.toString())
  } catch (cause) {
    throw new UnreadableManifest(`the manifest ${key} is not JSON`, { cause })
  }
  const { error } = reliable.safeParse(manifest)
  if (error) throw new UnreadableManifest(`the manifest ${key} is of an unknown format`, { cause: error })
  return manifest
}

/** The result of `work`, or of `otherwise` if a manifest is unreadable; throws other errors. */
export const unlessUnreadable = <T>(work: Promise<T>, otherwise: (error: UnreadableManifest) => T): Promise<T> =>
  work.catch((error) => {
    if (error instanceof UnreadableManifest) return otherwise(error)
    throw error
  })

const dayMs = 24 * 3_600_000

/** The manifest of a packet that expires `days` after it was created; null: never. */
export const expiringAfter = (days: number | null, manifest: Manifest): Manifest =>
  days === null
    ? manifest
    : { ...manifest, expiresAt: new Date(Date.parse(manifest.createdAt) + Math.round(days * dayMs)).toISOString() }

export const hasExpired = ({ expiresAt }: { expiresAt?: string | undefined }): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()

/** Whether readers see a packet if this is the highest generation that is not void. */
export const isVisible = (manifest: Manifest): boolean => !manifest.removed && !hasExpired(manifest)

/** Manifest that records the removal of a packet. */
export const removal = (): Manifest => ({
  jobId: randomUUID(),
  attempt: 0,
  createdAt: new Date().toISOString(),
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
