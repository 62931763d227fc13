import { emptyPart, partLimits } from '../packet/parts/part-buffer.ts'
import { shown } from '../validation/issues.ts'
import type { createTally } from './dry-run-tally.ts'
import { requiresOf } from './manifest-view.ts'
import { firstOf } from './report/first-of.ts'
import { identitiesOfPacket, type JobReport, type Report } from './report/report.ts'

/** The limit that ended a dry run before it was complete: its time, or the number of pairs. */
export type DryRunLimit = 'time' | 'pairs'

interface Seen {
  /** The sub-requests of the whole publish. */
  subRequests: number
  subRequestsPerSlice: number
  batchSize: number
  tally: ReturnType<typeof createTally>
  report: Report
  /** What the completely read sub-requests make. */
  read: ReturnType<Seen['tally']['size']> & { subRequests: number }
  limit: DryRunLimit | null
}

const indexesShown = { count: 1_000, bytes: 64 * 1024 }
const warningsAtMost = 50

/** What a dry run found. Contract 7.13. */
export function dryRunReport({ tally, report, limit, ...seen }: Seen) {
  const found = report.read(identitiesOfPacket)
  const originIndexes = firstOf(tally.originIndexes(), indexesShown)
  const size = tally.size()
  return {
    complete: limit === null,
    limit,
    subRequests: seen.subRequests,
    subRequestsRead: seen.read.subRequests,
    // A packet without pairs has one empty part.
    ...(limit === null && size.parts === 0 ? { pairs: 0, parts: 1, bytes: emptyPart.length } : size),
    projected: limit !== null && seen.subRequests > 1 && seen.read.subRequests > 0 ? projected(seen) : null,
    ...tally.read(),
    ...{ missing: found.missing, skipped: found.skipped, collapsed: found.collapsed },
    ...(found.model ? { model: found.model } : {}),
    requires: requiresOf(found),
    originIndexes,
    warnings: warningsOf(originIndexes, found.missingIndexes),
  }
}

/** Size of the whole packet, if the remaining sub-requests are like the ones that were read. */
function projected({ subRequests, subRequestsPerSlice, batchSize, read }: Omit<Seen, 'tally' | 'report' | 'limit'>) {
  const [pairs, bytes] = [read.pairs / read.subRequests, read.bytes / read.subRequests]
  const partsOf = (count: number) => Math.ceil(Math.max((count * pairs) / batchSize, (count * bytes) / maxBytes))
  const slices = Math.floor(subRequests / subRequestsPerSlice)
  const parts = slices * partsOf(subRequestsPerSlice) + partsOf(subRequests % subRequestsPerSlice)
  return {
    pairs: Math.round(subRequests * pairs),
    parts: Math.max(1, parts),
    bytes: Math.round(subRequests * bytes),
    by: 'sub-requests',
  } as const
}

const { maxBytes } = partLimits(1)

function warningsOf(
  indexes: ReturnType<Seen['tally']['originIndexes']>,
  missing: JobReport['missingIndexes'] = [],
): string[] {
  const ofNodes = indexes.flatMap(({ kind, label, property }) => {
    const it = `"${shown(property)}" of "${shown(label)}"`
    if (kind === 'NONE') return [`no index backs ${it}: each read by it searches all nodes of the label`]
    return kind === 'UNKNOWN' ? [`the origin does not say what backs ${it}`] : []
  })
  const ofRelationships = missing.map(
    ({ type, property }) =>
      `no index backs "${shown(property)}" of relationships of type "${shown(type)}": each request by relationshipIds searches all of them`,
  )
  return [...ofNodes.slice(0, warningsAtMost), ...ofRelationships]
}
