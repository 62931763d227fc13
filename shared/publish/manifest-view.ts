import { hash } from 'node:crypto'
import { z } from 'zod'
import { existence, index, oldestServer, uniqueness } from '../../packet/cypher/schema.ts'
import { type StatementKind, statementKinds } from '../../packet/kinds/statement.ts'
import { partNames } from '../../packet/names.ts'
import { type NewType, newTypes } from '../../packet/values/values.ts'
import type { Generation } from '../storage/generation-reader.ts'
import { packetName } from '../storage/keys.ts'
import type { ManifestPart } from '../storage/manifest.ts'
import type { PacketContent } from './content.ts'
import type { ModelReport } from './report/model-report.ts'
import { type JobReport, mergeReports } from './report/report.ts'

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

const compressed = {
  compression: z.literal('gzip').optional().meta({ description: 'How the part is stored; absent: uncompressed' }),
  storedBytes: count
    .optional()
    .meta({ description: 'Bytes of the compressed object; bytes and sha256 are of its content' }),
}

/** A packet as its manifest describes it. Contract 7.12. */
export const packetManifest = z.object({
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
  /** The API documents it by the schema of a job. */
  report: z.custom<JobReport>(),
  /** null: the packet was stored before manifests had shapes. */
  shape: z
    .object({
      counts: z.array(
        z.object({ kind: z.enum(statementKinds), label: text, type: text.optional(), to: text.optional(), count }),
      ),
      others: count.meta({ description: 'How many more are not listed' }),
    })
    .nullable()
    .meta({ description: 'How many pairs of a kind are about a label, or about a type of relationships' }),
  mappedIndices: z
    .record(text, text)
    .optional()
    .meta({ description: 'Of a node delete: the identities of nodes with other labels; absent if there are none' }),
  /** Always null: the packet is whole. */
  base: z.null(),
})
export type PacketManifest = z.infer<typeof packetManifest>

/** Describes a generation, with download links if there are `urls`, one for each part. */
export function manifestOf(
  orgName: string,
  fileName: string,
  { generation, manifest: { jobId, createdAt, expiresAt, parts, content } }: Generation,
  urls?: readonly string[],
): PacketManifest {
  const names = partNames(fileName, parts.length)
  const { parameterSyntax, numbers, report, shape = null, mappedIndices } = content as PacketContent
  return {
    packet: packetName(orgName, fileName),
    generation,
    jobId,
    createdAt,
    expiresAt: expiresAt ?? null,
    parameterSyntax,
    numbers,
    pairs: sumOf(parts, ({ pairs }) => pairs),
    bytes: sumOf(parts, ({ bytes }) => bytes),
    sha256: digestOf(parts),
    parts: parts.map(({ pairs, bytes, sha256, compression, storedBytes }, index) => ({
      fileName: names[index] as string,
      pairs,
      bytes,
      sha256,
      ...(compression === undefined ? {} : { compression, storedBytes }),
      ...(urls ? { url: urls[index] as string } : {}),
    })),
    statements: statementsOf(parts),
    requires: requiresOf(report),
    report: mergeReports([report]),
    shape,
    ...(mappedIndices === undefined ? {} : { mappedIndices }),
    base: null,
  }
}

const sumOf = (parts: readonly ManifestPart[], count: (part: ManifestPart) => number) =>
  parts.reduce((sum, part) => sum + count(part), 0)

/** The digest of a packet: the SHA-256 of its parts' digests in hexadecimal, joined by line feeds. */
export const digestOf = (parts: readonly ManifestPart[]): string =>
  hash('sha256', parts.map(({ sha256 }) => sha256).join('\n'))

function statementsOf(parts: readonly ManifestPart[]): Record<StatementKind, number> {
  const counts = statementKinds.map((kind) => [kind, sumOf(parts, ({ statements }) => statements[kind] ?? 0)])
  return Object.fromEntries(counts) as Record<StatementKind, number>
}

/** What a target needs for a packet with this report. */
export function requiresOf({ identities, moreIdentities, newTypes: types = [], model }: JobReport) {
  return {
    ...serverFor(types),
    constraints: identities.map(({ label, property }) => ({ label, property, cypher: uniqueness(label, property) })),
    ...(moreIdentities ? { moreConstraints: moreIdentities } : {}),
    ...(model ? { model: ofModel(model, identities) } : {}),
  }
}

/** The oldest server that has all of these types, which only Cypher 25 can make and the Community Edition cannot store. */
function serverFor(types: readonly NewType[]) {
  if (types.length === 0) return { server: oldestServer }
  const [server = ''] = types
    .map((type) => newTypes[type])
    .sort()
    .reverse()
  return { server, cypher: 25 as const, edition: 'enterprise' as const }
}

/** What the model that the packet is bound to requires in addition. Replay does not rely on it. */
function ofModel({ indexed, required, moreProperties }: ModelReport, identities: JobReport['identities']) {
  const unique = new Set(identities.map(({ label, property }) => JSON.stringify([label, property])))
  // A uniqueness constraint has an index of its own.
  const others = indexed.filter(({ label, property }) => !unique.has(JSON.stringify([label, property])))
  return {
    indexes: others.map((one) => ({ ...one, cypher: index(one.label, one.property) })),
    existence: required.map((one) => {
      const cypher = existence(one.label, one.property)
      return { ...one, edition: 'enterprise' as const, cypher }
    }),
    ...(moreProperties ? { more: moreProperties } : {}),
  }
}
