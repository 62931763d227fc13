import { hash } from 'node:crypto'
import { oldestServer, type UniquenessTexts, uniqueness } from '../cypher/uniqueness.ts'
import type { Generation } from '../storage/generation-reader.ts'
import { packetName } from '../storage/keys.ts'
import type { ManifestPart } from '../storage/manifest.ts'
import { partNames } from '../storage/names.ts'
import type { PacketContent } from './content.ts'
import { type StatementKind, statementKinds } from './pairs/statements/statement.ts'
import { type JobReport, mergeReports } from './parts/report.ts'

/** Uniqueness of a property among the nodes of a label, and the statements that demand it, by version of Neo4j. */
interface Constraint {
  label: string
  property: string
  cypher: UniquenessTexts
}

/** A packet as its manifest describes it; null is what an earlier version did not keep. Contract 7.12. */
export interface PacketManifest {
  packet: string
  generation: number
  jobId: string
  createdAt: string
  /** null: never. */
  expiresAt: string | null
  parameterSyntax: PacketContent['parameterSyntax'] | null
  numbers: PacketContent['numbers'] | null
  pairs: number
  bytes: number
  sha256: string | null
  parts: { fileName: string; pairs: number; bytes: number; sha256: string | null; url?: string }[]
  /** Those of postback are no pairs: they stand in the metadata of parts. */
  statements: Record<StatementKind, number> | null
  requires: { server: string; constraints: Constraint[] | null; moreConstraints?: number }
  report: JobReport | null
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
  const { parameterSyntax = null, numbers = null, report = null } = (content ?? {}) as Partial<PacketContent>
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
    parts: parts.map(({ pairs, bytes, sha256 = null }, index) => ({
      fileName: names[index] as string,
      pairs,
      bytes,
      sha256,
      ...(urls ? { url: urls[index] as string } : {}),
    })),
    statements: statementsOf(parts),
    requires: requiresOf(report),
    report: report && mergeReports([report]),
    base: null,
  }
}

const sumOf = (parts: readonly ManifestPart[], count: (part: ManifestPart) => number) =>
  parts.reduce((sum, part) => sum + count(part), 0)

/** The digest of the parts' digests, as `sha256sum` gives it for these joined by line feeds. */
function digestOf(parts: readonly ManifestPart[]): string | null {
  const digests = parts.map(({ sha256 }) => sha256)
  return digests.includes(undefined) ? null : hash('sha256', digests.join('\n'))
}

function statementsOf(parts: readonly ManifestPart[]): PacketManifest['statements'] {
  if (parts.some(({ statements }) => statements === undefined)) return null
  const counts = statementKinds.map((kind) => [kind, sumOf(parts, ({ statements }) => statements?.[kind] ?? 0)])
  return Object.fromEntries(counts) as Record<StatementKind, number>
}

/** What a target needs for a packet with this report. */
export function requiresOf(report: JobReport | null): PacketManifest['requires'] {
  if (report === null) return { server: oldestServer, constraints: null }
  const { identities, moreIdentities } = report
  return {
    server: oldestServer,
    constraints: identities.map(({ label, property }) => ({ label, property, cypher: uniqueness(label, property) })),
    ...(moreIdentities ? { moreConstraints: moreIdentities } : {}),
  }
}
