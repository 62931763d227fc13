import { hash } from 'node:crypto'
import { existence, index, oldestServer, type SchemaTexts, uniqueness } from '../packet/cypher/schema.ts'
import { type StatementKind, statementKinds } from '../packet/kinds/statement.ts'
import { partNames } from '../packet/names.ts'
import type { PacketShape } from '../packet/packet-shape.ts'
import type { Generation } from '../packets/generation-reader.ts'
import { packetName } from '../packets/keys.ts'
import type { ManifestPart } from '../packets/manifest.ts'
import type { PacketContent } from './content.ts'
import type { ModelReport } from './report/model-report.ts'
import { type JobReport, mergeReports } from './report/report.ts'

/** A constraint or an index of a target, for a property of a label, and the statements that create it. */
interface Required {
  label: string
  property: string
  cypher: SchemaTexts
}

/** A packet as its manifest describes it. Contract 7.12. */
export interface PacketManifest {
  packet: string
  generation: number
  jobId: string
  createdAt: string
  /** null: never. */
  expiresAt: string | null
  parameterSyntax: PacketContent['parameterSyntax']
  numbers: PacketContent['numbers']
  pairs: number
  bytes: number
  sha256: string
  parts: ({ fileName: string; pairs: number; bytes: number; sha256: string; url?: string } & Pick<
    ManifestPart,
    'compression' | 'storedBytes'
  >)[]
  /** Postback statements are not pairs: they are in the metadata of parts. */
  statements: Record<StatementKind, number>
  requires: {
    server: string
    /** Uniqueness, which replay relies on. */
    constraints: Required[]
    moreConstraints?: number
    /** What the model that the packet is bound to requires in addition. Replay does not rely on it. */
    model?: { indexes: Required[]; existence: (Required & { edition: 'enterprise' })[]; more?: number }
  }
  report: JobReport
  /** null: the packet was stored before manifests had shapes. */
  shape: PacketShape | null
  /** Always null: the packet is whole. */
  base: null
}

/** Describes a generation, with download links if there are `urls`, one for each part. */
export function manifestOf(
  orgName: string,
  fileName: string,
  { generation, manifest: { jobId, createdAt, expiresAt, parts, content } }: Generation,
  urls?: readonly string[],
): PacketManifest {
  const names = partNames(fileName, parts.length)
  const { parameterSyntax, numbers, report, shape = null } = content as PacketContent
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
    base: null,
  }
}

const sumOf = (parts: readonly ManifestPart[], count: (part: ManifestPart) => number) =>
  parts.reduce((sum, part) => sum + count(part), 0)

/** The digest of a packet: the SHA-256 of its parts' digests in hexadecimal, joined by line feeds. */
export const digestOf = (parts: readonly ManifestPart[]): string =>
  hash('sha256', parts.map(({ sha256 }) => sha256).join('\n'))

function statementsOf(parts: readonly ManifestPart[]): PacketManifest['statements'] {
  const counts = statementKinds.map((kind) => [kind, sumOf(parts, ({ statements }) => statements[kind] ?? 0)])
  return Object.fromEntries(counts) as Record<StatementKind, number>
}

/** What a target needs for a packet with this report. */
export function requiresOf(report: JobReport): PacketManifest['requires'] {
  const { identities, moreIdentities, model } = report
  return {
    server: oldestServer,
    constraints: identities.map(({ label, property }) => ({ label, property, cypher: uniqueness(label, property) })),
    ...(moreIdentities ? { moreConstraints: moreIdentities } : {}),
    ...(model ? { model: ofModel(model, identities) } : {}),
  }
}

function ofModel({ indexed, required, moreProperties }: ModelReport, identities: JobReport['identities']) {
  const unique = new Set(identities.map(({ label, property }) => JSON.stringify([label, property])))
  // A uniqueness constraint has an index of its own.
  const others = indexed.filter(({ label, property }) => !unique.has(JSON.stringify([label, property])))
  return {
    indexes: others.map((one) => ({ ...one, cypher: index(one.label, one.property) })),
    existence: required.map((one) => ({
      ...one,
      edition: 'enterprise' as const,
      cypher: existence(one.label, one.property),
    })),
    ...(moreProperties ? { more: moreProperties } : {}),
  }
}
