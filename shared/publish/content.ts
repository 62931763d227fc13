import type { ParameterSyntax } from '../packet/cypher/parameters.ts'
import type { NodeKey } from '../packet/kinds/statement.ts'
import type { Numbers } from '../packet/values/values.ts'
import { createReport, identitiesOfPacket, type JobReport, mergeReports } from './report/report.ts'
import type { PublishRequest } from './request/fields.ts'

type OrMixed<Value> = Value | 'mixed'

/** How statements are written; `mixed` where the sub-requests, or the workers that built slices, differ. */
interface Notation {
  parameterSyntax: OrMixed<ParameterSyntax>
  numbers: OrMixed<Numbers>
}

/** What a packet, or a slice of one, holds beside its parts. Slices built by an earlier version have no notation. */
export interface PacketContent extends Partial<Notation> {
  report: JobReport
}

/** How the pairs of these requests are written. */
export const notationOf = (requests: readonly PublishRequest[], parameterSyntax: ParameterSyntax): Notation => ({
  parameterSyntax,
  numbers: common(requests.map(({ numbers }) => numbers ?? 'plain')) ?? 'plain',
})

/** What a packet holds that was made without an origin; `ends` are the kinds of nodes that its statements find. */
export function directContent(parameterSyntax: ParameterSyntax, ends: readonly NodeKey[]): PacketContent {
  const report = createReport()
  for (const end of ends) report.identity(end)
  return { parameterSyntax, numbers: 'plain', report: report.read(identitiesOfPacket) }
}

/** Merges the contents of a packet's slices, given in their order. */
export const mergeContents = (contents: readonly PacketContent[]): PacketContent => ({
  parameterSyntax: common(contents.map(({ parameterSyntax }) => parameterSyntax)),
  numbers: common(contents.map(({ numbers }) => numbers)),
  report: mergeReports(
    contents.map(({ report }) => report),
    identitiesOfPacket,
  ),
})

/** The value that all have in common; undefined if one is unknown. */
function common<Value>(values: readonly (Value | undefined)[]): OrMixed<Value> | undefined {
  const distinct = new Set(values)
  if (distinct.has(undefined)) return undefined
  return distinct.size > 1 ? 'mixed' : values[0]
}
