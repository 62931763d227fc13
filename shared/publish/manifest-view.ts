import { existence, index, oldestServer, uniqueness } from '../../packet/cypher/schema.ts'
import { type StatementKind, statementKinds } from '../../packet/kinds/statement.ts'
import { partNames } from '../../packet/names.ts'
import { packetDigest } from '../../packet/parts/packet-digest.ts'
import { type NewType, newTypes } from '../../packet/values/values.ts'
import type { JobReport, ModelReport } from '../../wire/job.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import type { Generation } from '../storage/generations.ts'
import { packetName } from '../storage/keys.ts'
import type { ManifestPart, StoredState } from '../storage/manifest.ts'
import type { PacketContent } from './content.ts'
import { mergeReports } from './report/report.ts'

/** Describes a generation, with download links if there are `urls`, one for each part. */
export function manifestOf(
  orgName: string,
  fileName: string,
  { generation, manifest: { jobId, createdAt, expiresAt, parts, state, content } }: Generation,
  urls?: { parts: readonly string[]; state: readonly string[] },
): PacketManifest {
  const names = partNames(fileName, parts.length)
  const { parameterSyntax, numbers, report, shape = null, mappedIndices, masking } = content as PacketContent
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
    sha256: packetDigest(parts),
    parts: parts.map(({ pairs, bytes, sha256, compression, storedBytes }, index) => ({
      fileName: names[index] as string,
      pairs,
      bytes,
      sha256,
      ...(compression === undefined ? {} : { compression, storedBytes }),
      ...(urls ? { url: urls.parts[index] as string } : {}),
    })),
    statements: statementsOf(parts),
    requires: requiresOf(report),
    report: mergeReports([report]),
    shape,
    ...(mappedIndices === undefined ? {} : { mappedIndices }),
    base: state?.base ? baseOf(orgName, state.base) : null,
    state: state ? stateOf(state, urls?.state) : null,
    ...(masking === undefined ? {} : { masking }),
  }
}

const baseOf = (orgName: string, { fileName, generation, state }: NonNullable<StoredState['base']>) => ({
  packet: packetName(orgName, fileName),
  generation,
  state,
})

const stateOf = ({ sha256, pairs, nodes, relationships, lines }: StoredState, urls?: readonly string[]) => ({
  sha256,
  pairs,
  nodes,
  relationships,
  keys: lines.map(({ bytes, sha256 }, index) => ({ bytes, sha256, ...(urls ? { url: urls[index] as string } : {}) })),
})

const sumOf = (parts: readonly ManifestPart[], count: (part: ManifestPart) => number) =>
  parts.reduce((sum, part) => sum + count(part), 0)

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
