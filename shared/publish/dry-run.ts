import { createShapeTally } from '../../packet/packet-shape.ts'
import { emptyPart, partLimits } from '../../packet/parts/part-buffer.ts'
import type { SelectionCount } from '../../wire/dry-run.ts'
import type { JobReport } from '../../wire/job.ts'
import type { PacketMasking } from '../../wire/manifest.ts'
import { AppError } from '../errors/app-error.ts'
import * as errors from '../errors/catalogue.ts'
import type { BoundModel } from '../request/bound-model.ts'
import { shown } from '../validation/issues.ts'
import { type BuildContext, buildPacket, type PacketOrder } from './build-packet.ts'
import { notationOf } from './content.ts'
import { createTally, indexBytes, type LongId, legacyIndexBytes, TooMuchUnpublishable } from './dry-run-tally.ts'
import { requiresOf } from './manifest-view.ts'
import { firstOf } from './report/first-of.ts'
import { createReport, identitiesOfPacket, mergeReports, type Report } from './report/report.ts'
import { createObservations, distinctTreatments, type Observation } from './write/conflicts.ts'

/** The limit that ended a dry run before it was complete: its time, or the number of pairs, or of selected nodes. */
type DryRunLimit = 'time' | 'pairs' | 'nodes'

/** A publish to try, and the limits of the trial. `maxPairs` also limits the elements that cannot be published. */
export interface DryRunOrder extends Omit<PacketOrder, 'slice' | 'spentSeconds' | 'acceptedAt'> {
  model: BoundModel | null
  /** A multi with more sub-requests is built in slices of this size, as in a job. */
  subRequestsPerSlice: number
  /** The most pairs that the job may make: more would fail it. */
  jobPairs: number
  /** What requests with `select` take. `listed` has some of these nodes. */
  selections?: readonly SelectionCount[]
  /** Whether `listed` lacks some of them. */
  isCut?: boolean
  /** What listing them has reported. */
  listing?: JobReport
}

/**
 * Builds a packet as a job would, slice by slice, and discards it. Elements that cannot be published are left out and
 * listed. Slices come in bit-reversed order, so that the slices read before the time is up are spread evenly.
 * Contract 7.13.
 * @throws AppError as `buildPacket`; jobTimedOut (504) if nothing could be read.
 */
export async function dryRun(
  order: DryRunOrder,
  { originPolicy, signal }: Pick<BuildContext, 'originPolicy' | 'signal'>,
) {
  const { requests, batchSize, subRequestsPerSlice, maxPairs, limitSeconds } = order
  const tally = createTally(maxPairs)
  const shapes = createShapeTally()
  const treatments = distinctTreatments(requests)
  const isSliced = requests.length > subRequestsPerSlice
  const slices = isSliced ? Math.ceil(requests.length / subRequestsPerSlice) : 1
  const observed: Observation[][] = []
  const reports: Report[] = []
  const common = { ...order, spentSeconds: 0, acceptedAt: Date.now() }
  const timedOut = errors.jobTimedOut(limitSeconds)
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(timedOut), limitSeconds * 1_000)
  // The size at the end of the last sub-request that was read completely.
  const read = { subRequests: 0, ...tally.size() }
  let limit: DryRunLimit | null = null
  try {
    for (const at of bitReversed(slices)) {
      const first = at * subRequestsPerSlice
      const some = isSliced ? requests.slice(first, first + subRequestsPerSlice) : requests
      const before = read.subRequests
      const report = createReport(order.model)
      reports[at] = report
      const { observations, shape } = await buildPacket(
        {
          ...common,
          listed: order.listed?.slice(first, first + some.length),
          requests: some.map((request) => ({ ...request, onUnpublishable: 'skip' })),
          maxPairs: Math.min(maxPairs, order.jobPairs) - tally.size().pairs,
          ...(isSliced ? { slice: { first, treatments } } : {}),
        },
        {
          originPolicy,
          sink: tally.sink,
          observer: tally.observer,
          report,
          signal: AbortSignal.any([signal, timeout.signal]),
          onProgress({ subRequestsDone }) {
            if (before + subRequestsDone > read.subRequests) Object.assign(read, tally.size())
            read.subRequests = before + subRequestsDone
          },
        },
      )
      observed[at] = observations
      if (shape !== undefined) shapes.merge(shape)
      Object.assign(read, tally.size())
    }
  } catch (error) {
    limit = limitOf(error, order)
    const isNothing = read.subRequests === 0 && tally.size().pairs === 0 && limit === 'time'
    if (limit === null || isNothing) throw error
  } finally {
    clearTimeout(timer)
  }
  const share = shareListed(order)
  if (limit === null && order.isCut) limit = 'nodes'
  const observations = createObservations()
  for (const observation of observed.flat()) observations.record(observation)
  const seen = { subRequests: requests.length, subRequestsPerSlice, batchSize, read }
  const report = mergeReports(
    [...Object.values(reports).map((one) => one.read(identitiesOfPacket)), ...(order.listing ? [order.listing] : [])],
    identitiesOfPacket,
  )
  // A slice that was cut off has pairs, but no shape.
  const shape = limit === null ? shapes.read() : null
  const { selections } = order
  const { masking } = notationOf(requests, order.syntax, order.maskKey)
  return {
    ...dryRunReport({ ...seen, tally, report, limit, share, selections, masking }),
    shape,
    sample: tally.sample(),
  }
}

/**
 * The share of the selected nodes that are listed, about: nodes with several labels count several times. Null if some
 * requests select none, as nothing then shows what the rest would make.
 */
export function shareListed({
  listed = [],
  selections = [],
}: Pick<DryRunOrder, 'listed' | 'selections'>): number | null {
  if (listed.includes(null)) return null
  const taken = listed.reduce((sum, nodes) => sum + (nodes?.length ?? 0), 0)
  const all = selections.reduce((sum, { nodes }) => sum + nodes, 0)
  return Math.min(1, taken / Math.max(1, all))
}

function limitOf(error: unknown, { maxPairs, jobPairs }: DryRunOrder): DryRunLimit | null {
  if (error instanceof TooMuchUnpublishable) return 'pairs'
  if (!(error instanceof AppError)) return null
  if (error.code === 'jobTimedOut') return 'time'
  if (error.code !== 'tooManyPairs') return null
  if (jobPairs <= maxPairs) throw errors.tooManyPairs(jobPairs)
  return 'pairs'
}

/** The numbers below `count`, in the order of their reversed bits. The first ones, however many, are spread evenly. */
export function bitReversed(count: number): number[] {
  const bits = Math.ceil(Math.log2(Math.max(count, 1)))
  const reversed = (index: number) => {
    let result = 0
    for (let bit = 0; bit < bits; bit++) result = result * 2 + ((index >> bit) & 1)
    return result
  }
  return Array.from({ length: 2 ** bits }, (_, index) => reversed(index)).filter((index) => index < count)
}

interface Seen {
  /** The sub-requests of the whole publish. */
  subRequests: number
  subRequestsPerSlice: number
  batchSize: number
  tally: ReturnType<typeof createTally>
  report: JobReport
  /** What the completely read sub-requests make. */
  read: ReturnType<Seen['tally']['size']> & { subRequests: number }
  limit: DryRunLimit | null
  /** The share of the selected nodes that were to be read; null if it is not known. */
  share?: number | null
  selections?: readonly SelectionCount[] | undefined
  /** How values are masked; absent: they are not. */
  masking?: PacketMasking | undefined
}

const indexesShown = { count: 1_000, bytes: 64 * 1024 }
const warningsAtMost = 50

/** What a dry run found. Contract 7.13. */
export function dryRunReport({ tally, report: found, limit, ...seen }: Seen) {
  const originIndexes = firstOf(tally.originIndexes(), indexesShown)
  const size = tally.size()
  return {
    complete: limit === null,
    limit,
    subRequests: seen.subRequests,
    subRequestsRead: seen.read.subRequests,
    // A packet without pairs has one empty part.
    ...(limit === null && size.parts === 0 ? { pairs: 0, parts: 1, bytes: emptyPart.length } : size),
    projected: limit === 'nodes' ? scaled(size, seen) : projectedBySubRequests(limit, seen),
    ...tally.read(),
    ...(seen.selections ? { selections: seen.selections } : {}),
    ...(found.selection ? { selection: found.selection } : {}),
    missing: found.missing,
    skipped: found.skipped,
    collapsed: found.collapsed,
    ...(found.model ? { model: found.model } : {}),
    ...(seen.masking ? { masking: { ...seen.masking, ...tally.masking() } } : {}),
    requires: requiresOf(found),
    originIndexes,
    warnings: [
      ...warningsOf(originIndexes, found.missingIndexes),
      ...(seen.selections ?? []).flatMap(warningOfSelection),
      ...tally.longIds().map(warningOfLongId),
    ],
  }
}

const projectedBySubRequests = (limit: DryRunLimit | null, seen: Omit<Seen, 'tally' | 'report' | 'limit'>) =>
  limit !== null && seen.selections === undefined && seen.subRequests > 1 && seen.read.subRequests > 0
    ? projected(seen)
    : null

/** Size of the whole packet, if the selected nodes that were not listed are like the others. */
function scaled(
  { pairs, bytes }: { pairs: number; bytes: number },
  { share = null, batchSize }: Pick<Seen, 'share' | 'batchSize'>,
) {
  if (share === null) return null
  const parts = Math.max(1, Math.ceil(Math.max(pairs / share / batchSize, bytes / share / maxBytes)))
  return { pairs: Math.round(pairs / share), parts, bytes: Math.round(bytes / share), by: 'nodes' } as const
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

const warningOfSelection = ({ element, label, indexes }: SelectionCount): string[] =>
  indexes?.length === 0
    ? [`no index backs the where of select[${element}] at "${shown(label)}": the listing reads all nodes of the label`]
    : []

/** The replay would be refused, because an index backs the constraint that it needs. */
function warningOfLongId({ label, property, bytes }: LongId): string {
  const which = `"${shown(property)}" of "${shown(label)}" has an id of ${bytes} bytes`
  const legacy = `the constraint of a target with Neo4j 3.5 holds at most ${legacyIndexBytes}`
  return bytes > indexBytes ? `${which}; the constraint of a target holds at most ${indexBytes}` : `${which}; ${legacy}`
}
