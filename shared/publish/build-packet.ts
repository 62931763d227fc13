import type { ParameterSyntax } from '../cypher/parameters.ts'
import { AppError } from '../errors/app-error.ts'
import * as errors from '../errors/catalogue.ts'
import type { OriginSettings } from '../origin/connect.ts'
import { createObservations, detectConflicts, distinctViews, type Observation, type View } from './build/conflicts.ts'
import { originsUntil } from './build/origins.ts'
import { writeRequest } from './build/request.ts'
import { selectAhead } from './build/select-ahead.ts'
import { createPairMaker } from './pairs/pair-maker.ts'
import { createPacketWriter, type PartSink } from './parts/packet-writer.ts'
import { partLimits } from './parts/part-buffer.ts'
import { createReport, type JobReport } from './parts/report.ts'
import type { PublishRequest } from './request/fields.ts'
import { planOf } from './request/plan.ts'

/** What a packet, or a slice of one, is made of and within which bounds. */
export interface PacketOrder {
  requests: readonly PublishRequest[]
  /** The requests are those of a larger multi from the one with that index on, whose views these are. */
  slice?: { first: number; views: readonly View[] }
  syntax: ParameterSyntax
  /** Pairs a part may have, 1 to 5,000. */
  batchSize: number
  maxPairs: number
  limitSeconds: number
  /** What earlier attempts have used of the time limit. */
  spentSeconds: number
  /** When the request was accepted, epoch milliseconds: the packet's timestamp, the same in every attempt. */
  acceptedAt: number
}

/** How far a packet is: finished sub-requests, and what was written so far. */
export interface PacketProgress {
  subRequestsDone: number
  pairs: number
  parts: number
  bytes: number
}

/** What was built: its report, and what other slices of its packet may have seen otherwise. */
export interface Built {
  report: JobReport
  observations: Observation[]
}

interface BuildContext {
  originPolicy: OriginSettings
  sink: PartSink
  signal: AbortSignal
  onProgress: (progress: PacketProgress) => void
}

/**
 * Reads the origins and hands the packet's parts to `sink`, in memory that does not depend on the packet's size. It
 * knows neither queue nor HTTP: interruption comes as a signal, progress goes to a callback. A packet without pairs is
 * one empty part, a slice without pairs is none.
 * @throws AppError: 422, 502, 413 by the catalogue; jobTimedOut (504); the signal's reason when interrupted.
 */
export async function buildPacket(
  order: PacketOrder,
  { originPolicy, sink, signal, onProgress }: BuildContext,
): Promise<Built> {
  const secondsLeft = Math.max(0, order.limitSeconds - order.spentSeconds)
  const timeout = AbortSignal.timeout(secondsLeft * 1_000)
  const interrupted = () => {
    signal.throwIfAborted()
    if (timeout.aborted) throw errors.jobTimedOut(order.limitSeconds)
  }
  const report = createReport()
  const pairs = createPairMaker(order.syntax)
  const { first, views } = order.slice ?? { first: 0, views: distinctViews(order.requests) }
  const observations = createObservations()
  const detectorOf = detectConflicts(views, observations)
  let subRequestsDone = 0
  const progress = () => onProgress({ subRequestsDone, pairs: writer.pairs, parts: writer.parts, bytes: writer.bytes })
  const writer = createPacketWriter(partLimits(order.batchSize), order.maxPairs, async (part) => {
    interrupted()
    await sink(part)
    progress()
  })
  const stopped = AbortSignal.any([signal, timeout])
  await using origins = originsUntil(stopped, originPolicy, Math.max(1, secondsLeft))
  const selections = selectAhead(order.requests, origins, (request, at, origin) => {
    return { ...origin, conflicts: detectorOf(request, first + at), plan: planOf(request), pairs, writer, report }
  })
  for (const at of order.requests.keys()) {
    interrupted()
    try {
      await orAborted(stopped, async () => {
        const { work, selection } = await selections.take(at)
        selections.begin(at + 1)
        await writeRequest(work, selection, order.acceptedAt, interrupted)
      })
    } catch (error) {
      await writer.settle()
      interrupted() // a read that broke because the signal closed its connection is an interruption, not a broken origin
      throw isBroken(error) ? (selections.failure() ?? error) : error // a read that fails ends the transaction for all
    }
    subRequestsDone++
    progress()
  }
  await writer.end({ evenIfEmpty: order.slice === undefined })
  interrupted()
  return { report: report.read(), observations: [...observations.all()] }
}

const isBroken = (error: unknown) => error instanceof AppError && error.code === 'originBroke'

/** Ends with `work`, or at once when the signal aborts: a read under way when its driver is closed never ends. */
async function orAborted(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await Promise.race([work(), aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
