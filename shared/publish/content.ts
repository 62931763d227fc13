import type { ParameterSyntax } from '../packet/cypher/parameters.ts'
import type { NodeKey } from '../packet/kinds/statement.ts'
import { createShapeTally, type PacketShape } from '../packet/packet-shape.ts'
import type { Numbers } from '../packet/values/values.ts'
import { createReport, identitiesOfPacket, type JobReport, mergeReports } from './report/report.ts'
import type { PublishRequest } from './request/fields.ts'

type OrMixed<Value> = Value | 'mixed'

/** How statements are written; `mixed` if the sub-requests, or the workers that built slices, differ. */
interface Notation {
  parameterSyntax: OrMixed<ParameterSyntax>
  numbers: OrMixed<Numbers>
}

/** What a packet, or a slice of one, holds in addition to its parts. */
export interface PacketContent extends Notation {
  report: JobReport
  /** Absent if it was built by a worker that did not know shapes. */
  shape?: PacketShape
}

/** How the pairs of these requests are written. */
export const notationOf = (requests: readonly PublishRequest[], parameterSyntax: ParameterSyntax): Notation => ({
  parameterSyntax,
  numbers: common(requests.map(({ numbers }) => numbers ?? 'plain')),
})

/** The content of a packet that was made without an origin. `ends`: the kinds of nodes that its statements find. */
export function directContent(
  parameterSyntax: ParameterSyntax,
  ends: readonly NodeKey[],
  shape: PacketShape,
): PacketContent {
  const report = createReport()
  for (const end of ends) report.identity(end)
  return { parameterSyntax, numbers: 'plain', report: report.read(identitiesOfPacket), shape }
}

/** Merges the contents of a packet's slices, given in their order. */
export function mergeContents(contents: readonly PacketContent[]): PacketContent {
  const shapes = contents.map(({ shape }) => shape)
  return {
    parameterSyntax: common(contents.map(({ parameterSyntax }) => parameterSyntax)),
    numbers: common(contents.map(({ numbers }) => numbers)),
    report: mergeReports(
      contents.map(({ report }) => report),
      identitiesOfPacket,
    ),
    ...(shapes.every((shape) => shape !== undefined) ? { shape: mergeShapes(shapes) } : {}),
  }
}

function mergeShapes(shapes: readonly PacketShape[]): PacketShape {
  const merged = createShapeTally()
  for (const shape of shapes) merged.merge(shape)
  return merged.read()
}

/** The value that all have in common, or `mixed`. There must be at least one. */
function common<Value>(values: readonly Value[]): OrMixed<Value> {
  return new Set(values).size > 1 ? 'mixed' : (values[0] as Value)
}
