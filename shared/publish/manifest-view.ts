import { hash } from 'node:crypto'
import { existence, index, oldestServer, uniqueness } from '../packet/cypher/schema.ts'
import { type StatementKind, statementKinds } from '../packet/kinds/statement.ts'
import { partNames } from '../packet/names.ts'
import type { Generation } from '../packets/generation-reader.ts'
import { packetName } from '../packets/keys.ts'
import type { ManifestPart } from '../packets/manifest.ts'
import type { PacketContent } from './content.ts'
import type { ModelReport } from './report/model-report.ts'
import { type JobReport, mergeReports } from './report/report.ts'

/** A packet as its manifest describes it. Contract 7.12. */
export type PacketManifest = ReturnType<typeof manifestOf>

/** Describes a generation, with download links if there are `urls`, one for each part. */
export function manifestOf(
  orgName: string,
  fileName: string,
  { generation, manifest: { jobId, createdAt, expiresAt, parts, content } }: Generation,
  urls?: readonly string[],
) {
  const names = partNames(fileName, parts.length)
  const { parameterSyntax, numbers, report, shape = null } = content as PacketContent
  return {
    packet: packetName(orgName, fileName),
    generation,
    jobId,
    createdAt,
    /** null: never. */
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
    /** Postback statements are not pairs: they are in the metadata of parts. */
    statements: statementsOf(parts),
    requires: requiresOf(report),
    report: mergeReports([report]),
    /** null: the packet was stored before manifests had shapes. */
    shape,
    /** Always null: the packet is whole. */
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
export function requiresOf({ identities, moreIdentities, model }: JobReport) {
  return {
    server: oldestServer,
    /** Uniqueness, which replay relies on. */
    constraints: identities.map(({ label, property }) => ({ label, property, cypher: uniqueness(label, property) })),
    ...(moreIdentities ? { moreConstraints: moreIdentities } : {}),
    ...(model ? { model: ofModel(model, identities) } : {}),
  }
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
