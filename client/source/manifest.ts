import { hash } from 'node:crypto'
import { basename } from 'node:path'
import { z } from 'zod'
import { statementKinds } from '../../packet/kinds/statement.ts'

// The last segment of a part's name becomes the name of a local file. Those that begin with a dot are unfinished.
const fileName = z.string().refine((name) => !/(^|\/)(\.[^/]*)?$|[\\\0]/.test(name), 'must be the name of a file')
const count = z.int().nonnegative()
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 digest')

const ids = z.looseObject({ count, first: z.array(z.string()) })
const report = z.looseObject({
  missing: z.looseObject({ originIds: ids, relationshipIds: ids }),
  skipped: z.record(z.string(), count),
  collapsed: count,
})

/** The fields that this client reads from a manifest, the service's or one that `get` wrote; other fields are kept. */
const manifestSchema = z.looseObject({
  packet: z.string(),
  generation: count,
  jobId: z.string().optional(),
  pairs: count,
  bytes: count,
  sha256,
  parts: z.array(z.looseObject({ fileName, pairs: count, bytes: count, sha256, url: z.url().optional() })).min(1),
  statements: z.record(z.string(), count),
  requires: z.looseObject({
    server: z.string(),
    constraints: z.array(
      z.looseObject({ label: z.string(), property: z.string(), cypher: z.record(z.string(), z.string()) }),
    ),
    moreConstraints: count.optional(),
  }),
  report: report.nullable().default(null),
  /** Null if the packet was stored before manifests had this field. */
  shape: z
    .looseObject({
      counts: z.array(
        z.looseObject({
          kind: z.enum(statementKinds),
          label: z.string(),
          type: z.string().optional(),
          to: z.string().optional(),
          count,
        }),
      ),
      others: count,
    })
    .nullable()
    .default(null),
  /** Further identities of the request, of a node delete. */
  mappedIndices: z.record(z.string(), z.string()).optional(),
  /** Null if the packet never expires. */
  expiresAt: z.iso.datetime().nullable().default(null),
  /** The digest of the packet that a target must have; null for a whole packet. */
  base: sha256.nullable().default(null),
})

export type Manifest = z.infer<typeof manifestSchema>
export type ManifestPart = Manifest['parts'][number]

/** Checks the fields of a manifest, and that its digests agree. @returns the manifest, or what is wrong, as text */
export function parseManifest(value: unknown): Manifest | string {
  const { data, error } = manifestSchema.safeParse(value)
  if (!data) return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  const files = new Set(data.parts.map((part) => basename(part.fileName)))
  if (files.size < data.parts.length) return 'parts: several have the same file name'
  const digests = data.parts.map((part) => part.sha256)
  if (hash('sha256', digests.join('\n')) !== data.sha256) return 'sha256: is not the digest of its parts'
  return data
}
