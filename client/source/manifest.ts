import { basename } from 'node:path'
import type { z } from 'zod'
import { packetDigest } from '../../packet/parts/packet-digest.ts'
import { readableManifest } from '../../wire/manifest.ts'

export type Manifest = z.infer<typeof readableManifest>
export type ManifestPart = Manifest['parts'][number]

/** Checks the fields of a manifest, and that its digests agree. @returns the manifest, or what is wrong, as text */
export function parseManifest(value: unknown): Manifest | string {
  const { data, error } = readableManifest.safeParse(value)
  if (!data) return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  const files = new Set(data.parts.map((part) => basename(part.fileName)))
  if (files.size < data.parts.length) return 'parts: several have the same file name'
  if (packetDigest(data.parts) !== data.sha256) return 'sha256: is not the digest of its parts'
  return data
}
