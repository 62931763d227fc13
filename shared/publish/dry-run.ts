import { AppError } from '../errors/app-error.ts'
import * as errors from '../errors/catalogue.ts'
import type { OpenSettings } from '../origin/connect.ts'
import type { ParameterSyntax } from '../packet/cypher/parameters.ts'
import { createObservations, distinctTreatments, type Observation } from './build/conflicts.ts'
import { buildPacket, type PacketOrder } from './build-packet.ts'
import { type DryRunLimit, dryRunReport } from './dry-run-report.ts'
import { createTally, TooMuchUnpublishable } from './dry-run-tally.ts'
import { createReport } from './report/report.ts'
import type { BoundModel } from './request/bound-model.ts'
import type { PublishRequest } from './request/fields.ts'

/** A publish to try, and the limits of the trial. */
export interface DryRunOrder {
  /** Completed by the model. */
  requests: readonly PublishRequest[]
  model: BoundModel | null
  syntax: ParameterSyntax
  batchSize: number
  /** A multi with more sub-requests is built in slices of this size, as in a job. */
  subRequestsPerSlice: number
  /** The most pairs that the job may make: more would fail it. */
  jobPairs: number
  /** The dry run stops after this many pairs, or this many elements that cannot be published. */
  maxPairs: number
  limitSeconds: number
}

interface DryRunContext {
  originPolicy: OpenSettings
  signal: AbortSignal
}

/**
 * Builds a packet as a job would, slice by slice, and discards it. Elements that cannot be published are left out and
 * listed. Slices come in bit-reversed order, so that the slices read before the time is up are spread evenly.
 * Contract 7.13.
 * @throws AppError as `buildPacket`; jobTimedOut (504) if nothing could be read.
 */
export async function dryRun(order: DryRunOrder, { originPolicy, signal }: DryRunContext) {
  const { requests, batchSize, subRequestsPerSlice, maxPairs, limitSeconds } = order
  const tally = createTally(maxPairs)
  const report = createReport(order.model)
  const treatments = distinctTreatments(requests)
  const isSliced = requests.length > subRequestsPerSlice
  const slices = isSliced ? Math.ceil(requests.length / subRequestsPerSlice) : 1
  const observed: Observation[][] = []
  const common: Omit<PacketOrder, 'requests' | 'maxPairs'> = {
    model: order.model,
    syntax: order.syntax,
    batchSize,
    limitSeconds,
    spentSeconds: 0,
    acceptedAt: Date.now(),
  }
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
      const { observations } = await buildPacket(
        {
          ...common,
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
      Object.assign(read, tally.size())
    }
  } catch (error) {
    limit = limitOf(error, order)
    const isNothing = read.subRequests === 0 && tally.size().pairs === 0 && limit === 'time'
    if (limit === null || isNothing) throw error
  } finally {
    clearTimeout(timer)
  }
  const observations = createObservations()
  for (const observation of observed.flat()) observations.record(observation)
  const seen = { subRequests: requests.length, subRequestsPerSlice, batchSize, read }
  return { ...dryRunReport({ ...seen, tally, report, limit }), sample: tally.sample() }
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
