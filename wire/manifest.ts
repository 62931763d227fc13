import { z } from 'zod'
import { type StatementKind, statementKinds } from '../packet/kinds/statement.ts'
import { jobReport } from './job.ts'

const count = z.int().nonnegative()
const text = z.string()
const notListed = count.optional().meta({ description: 'At least how many more are not listed' })

export const statementCounts = z
  .object(Object.fromEntries(statementKinds.map((kind) => [kind, count])) as Record<StatementKind, typeof count>)
  .meta({ id: 'StatementCounts' })

/** A constraint or an index of a target, for a property of a label, and the statements that create it. */
const required = z.object({ label: text, property: text, cypher: z.object({ 5: text, 3.5: text }) })

export const requires = z
  .object({
    server: text,
    cypher: z.literal(25).optional().meta({ description: 'The language that the target needs; absent: any' }),
    edition: z.literal('enterprise').optional().meta({ description: 'Of Neo4j, for values of new types' }),
    /** Uniqueness, which replay relies on. */
    constraints: z.array(required),
    moreConstraints: notListed,
    model: z
      .object({
        indexes: z.array(required),
        existence: z.array(required.extend({ edition: z.literal('enterprise') })),
        more: notListed,
      })
      .optional()
      .meta({ description: 'What the model declares in addition to constraints; replay does not rely on it' }),
  })
  .meta({ id: 'Requires' })

/** How many pairs of a kind are about a label, or about a type of relationships. */
export const shape = z
  .object({
    counts: z.array(
      z.object({ kind: z.enum(statementKinds), label: text, type: text.optional(), to: text.optional(), count }),
    ),
    others: count.meta({ description: 'How many more are not listed' }),
  })
  .meta({
    id: 'PacketShape',
    description: 'How many pairs of a kind are about a label, or about a type of relationships',
  })

const compressed = {
  compression: z.literal('gzip').optional().meta({ description: 'How the part is stored; absent: uncompressed' }),
  storedBytes: count
    .optional()
    .meta({ description: 'Bytes of the compressed object; bytes and sha256 are of its content' }),
}

/** How values of a packet are masked. Packets with equal ones mask alike. */
export const packetMasking = z.object({
  key: text.nullable().meta({ description: 'Id of the key of hashes; null: there are none' }),
  sha256: text.meta({ description: 'Digest of the rules' }),
})
export type PacketMasking = z.infer<typeof packetMasking>

/** The packet that another one of the same name replaced. */
const replaced = z.object({
  generation: count,
  jobId: text,
  createdAt: z.iso.datetime(),
  pairs: count,
  bytes: count,
  sha256: text,
  shape: shape.nullable(),
})

/** A packet on which another one builds. `state` is the digest of its state. */
const base = z.object({ packet: text, generation: count, state: text })

/** The whole state of a graph that a packet leads to, on top of its base if it has one. Contract 4.23. */
const state = z.object({
  sha256: text.meta({ description: 'The same for packets that lead to the same pairs' }),
  pairs: count,
  nodes: count,
  relationships: count,
  keys: z
    .array(z.object({ bytes: count, sha256: text, url: text.optional() }))
    .meta({ description: 'Objects, each compressed with zstd, with the keys of everything that pairs are about' }),
})

/** A packet as its manifest describes it. Contract 7.12. */
export const packetManifest = z
  .object({
    packet: text,
    generation: count,
    jobId: text,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().nullable().meta({ description: 'When the packet expires; null: never' }),
    parameterSyntax: z.enum(['braces', 'dollar', 'mixed']),
    numbers: z.enum(['plain', 'strict', 'mixed']),
    pairs: count,
    bytes: count,
    sha256: text,
    parts: z.array(
      z.object({ fileName: text, pairs: count, bytes: count, sha256: text, ...compressed, url: text.optional() }),
    ),
    /** Postback statements are not pairs: they are in the metadata of parts. */
    statements: statementCounts,
    requires,
    report: jobReport,
    /** null: the packet was stored before manifests had shapes. */
    shape: shape.nullable(),
    mappedIndices: z
      .record(text, text)
      .optional()
      .meta({ description: 'Of a node delete: the identities of nodes with other labels; absent if there are none' }),
    base: base.nullable().meta({ description: 'The packet that a target must have; null: this one is whole' }),
    state: state.nullable().meta({ description: 'What the packet leads to, if it may be a base; null if it may not' }),
    masking: packetMasking.optional().meta({ description: 'With mask or only' }),
    replaced: replaced.nullable().optional().meta({
      description: 'With replaced=true: the packet of this name before; null if there was none, or it is gone',
    }),
  })
  .meta({ id: 'PacketManifest' })
export type PacketManifest = z.infer<typeof packetManifest>

// The last segment of a part's name becomes the name of a local file. Those that begin with a dot are unfinished.
const fileName = z.string().refine((name) => !/(^|\/)(\.[^/]*)?$|[\\\0]/.test(name), 'must be the name of a file')
const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 digest')
const ids = z.looseObject({ count, first: z.array(text) })
const readableReport = z.looseObject({
  missing: z.looseObject({ originIds: ids, relationshipIds: ids }),
  skipped: z.record(text, count),
  collapsed: count,
})

/**
 * What a client reads of a manifest: of an older service, which lacks the later fields, or of a newer one, whose further
 * fields are kept.
 */
export const readableManifest = z.looseObject({
  packet: text,
  generation: count,
  jobId: text.optional(),
  pairs: count,
  bytes: count,
  sha256,
  parts: z.array(z.looseObject({ fileName, pairs: count, bytes: count, sha256, url: z.url().optional() })).min(1),
  statements: z.record(text, count),
  requires: z.looseObject({
    server: text,
    constraints: z.array(z.looseObject({ label: text, property: text, cypher: z.record(text, text) })),
    moreConstraints: count.optional(),
  }),
  report: readableReport.nullable().default(null),
  /** Null if the packet was stored before manifests had this field. */
  shape: z
    .looseObject({
      counts: z.array(
        z.looseObject({
          kind: z.enum(statementKinds),
          label: text,
          type: text.optional(),
          to: text.optional(),
          count,
        }),
      ),
      others: count,
    })
    .nullable()
    .default(null),
  /** Further identities of the request, of a node delete. */
  mappedIndices: z.record(text, text).optional(),
  masking: z.looseObject({ key: text.nullable(), sha256: text }).nullable().default(null),
  /** Null if the packet never expires. */
  expiresAt: z.iso.datetime().nullable().default(null),
  /**
   * The packet that a target must have; null for a whole packet. `packets diff` names it by its digest, the service by
   * the digest of the state that it leads to.
   */
  base: z
    .union([sha256, z.looseObject({ packet: text, generation: count, state: sha256 })])
    .nullable()
    .default(null),
  /** The state that the packet leads to; null if none is known. */
  state: z
    .looseObject({
      sha256,
      pairs: count,
      nodes: count,
      relationships: count,
      keys: z.array(z.looseObject({ bytes: count, sha256, url: z.url().optional() })).default([]),
    })
    .nullable()
    .default(null),
  /** Of an undo: the states before and after the replay that it undoes. */
  undoes: z.looseObject({ from: sha256.nullable(), to: sha256 }).nullable().default(null),
})
