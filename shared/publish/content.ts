import type { ParameterSyntax } from '../../packet/cypher/parameters.ts'
import type { NodeKey } from '../../packet/kinds/statement.ts'
import { createShapeTally, type PacketShape } from '../../packet/packet-shape.ts'
import type { Numbers } from '../../packet/values/values.ts'
import type { JobReport } from '../../wire/job.ts'
import type { PacketMasking } from '../../wire/manifest.ts'
import type { PublishRequest } from '../request/fields.ts'
import type { MaskKey } from '../request/mask/mask-key.ts'
import { maskingOf, rulesDigest } from '../request/mask/masking.ts'
import { createReport, identitiesOfPacket, mergeReports } from './report/report.ts'

/** What a packet, or a slice of one, holds in addition to its parts. */
export interface PacketContent {
  /** How statements are written; `mixed` if the sub-requests, or the workers that built slices, differ. */
  parameterSyntax: ParameterSyntax | 'mixed'
  numbers: Numbers | 'mixed'
  report: JobReport
  /** How its values are masked; absent: they are not. */
  masking?: PacketMasking
  /** Absent if it was built by a worker that did not know shapes. */
  shape?: PacketShape
  /** Identities that the request of a node delete maps besides the identities of its nodes, for the undo of a client. */
  mappedIndices?: Readonly<Record<string, string>>
}

/** How the pairs of these requests are written. `maskKey`: the key of their hashes. */
export const notationOf = (
  requests: readonly PublishRequest[],
  parameterSyntax: ParameterSyntax,
  maskKey: Pick<MaskKey, 'id'> | null = null,
) => {
  const masking = packetMaskingOf(requests, maskKey)
  return {
    parameterSyntax,
    numbers: common(requests.map(({ numbers }) => numbers ?? 'plain')),
    ...(masking ? { masking } : {}),
  }
}

/** How values are masked: all sub-requests of a packet have the same rules. Null if none is. */
export function packetMaskingOf(
  [request]: readonly PublishRequest[],
  maskKey: Pick<MaskKey, 'id'> | null,
): PacketMasking | null {
  if (request === undefined || maskingOf(request) === null) return null
  return { key: maskKey?.id ?? null, sha256: rulesDigest(request) }
}

/** The content of a packet that was made without an origin. `ends`: the kinds of nodes that its statements find. */
export function directContent(
  parameterSyntax: ParameterSyntax,
  ends: readonly NodeKey[],
  shape: PacketShape,
  mappedIndices: Readonly<Record<string, string>> = {},
): PacketContent {
  const report = createReport()
  for (const end of ends) report.identity(end)
  const bytes = Buffer.byteLength(JSON.stringify(mappedIndices))
  const isListed = Object.keys(mappedIndices).length > 0 && bytes <= identitiesOfPacket.bytes
  const mapped = isListed ? { mappedIndices } : {}
  return { parameterSyntax, numbers: 'plain', report: report.read(identitiesOfPacket), shape, ...mapped }
}

/** Merges the contents of a packet's slices, given in their order. */
export function mergeContents(contents: readonly PacketContent[]): PacketContent {
  const merged = createShapeTally()
  for (const { shape } of contents) if (shape !== undefined) merged.merge(shape)
  return {
    parameterSyntax: common(contents.map(({ parameterSyntax }) => parameterSyntax)),
    numbers: common(contents.map(({ numbers }) => numbers)),
    report: mergeReports(
      contents.map(({ report }) => report),
      identitiesOfPacket,
    ),
    ...(contents[0]?.masking ? { masking: contents[0].masking } : {}),
    ...(contents.every(({ shape }) => shape !== undefined) ? { shape: merged.read() } : {}),
  }
}

/** The value that all have in common, or `mixed`. There must be at least one. */
function common<Value>(values: readonly Value[]): Value | 'mixed' {
  return new Set(values).size > 1 ? 'mixed' : (values[0] as Value)
}
