import type { ParameterSyntax } from '../../packet/cypher/parameters.ts'
import { createPairMaker } from '../../packet/pair-maker.ts'
import { createPacketWriter, type PartSink, type SealedPart } from '../../packet/parts/packet-writer.ts'
import { partLimits } from '../../packet/parts/part-buffer.ts'
import { AppError } from '../errors/app-error.ts'
import * as errors from '../errors/catalogue.ts'
import { orAborted } from '../lifecycle/or-aborted.ts'
import type { OpenSettings } from '../origin/connect.ts'
import type { IdList } from '../read/internal-ids.ts'
import { type BuildSizes, defaultSizes } from '../read/reading.ts'
import type { BoundModel } from '../request/bound-model.ts'
import type { PublishRequest } from '../request/fields.ts'
import type { MaskKey } from '../request/mask/mask-key.ts'
import { createMasking } from '../request/mask/masker.ts'
import { createModelRules } from '../request/model/model-rules.ts'
import { planOf } from '../request/plan.ts'
import { notationOf, type PacketContent } from './content.ts'
import { packetErrors } from './pairs/packet-errors.ts'
import { createReport, identitiesOfPacket, type Report } from './report/report.ts'
import type { PairIndex } from './state/index-pairs.ts'
import { createObservations, detectConflicts, distinctTreatments, type Observation } from './write/conflicts.ts'
import { createMaskCheck } from './write/maskable.ts'
import type { BuildObserver } from './write/observer.ts'
import { originsUntil } from './write/origins.ts'
import { writeRequest } from './write/request.ts'
import { selectAhead } from './write/select-ahead.ts'
import type { NodeTreatment } from './write/treatments.ts'

/** What a packet, or a slice of one, is built from, and its limits. */
export interface PacketOrder {
  /** Completed by the model. */
  requests: readonly PublishRequest[]
  /** For each request that selects nodes: the nodes listed for it, or some of them. */
  listed?: readonly (IdList | null)[]
  /** Set if the requests are a slice of a larger multi, from index `first` on; `treatments` are of the whole multi. */
  slice?: { first: number; treatments: readonly NodeTreatment[] }
  /** The model that the requests are bound to, if they are. */
  model?: BoundModel | null
  /** The key of the org for hashes, if the requests mask with them. */
  maskKey?: MaskKey | null
  syntax: ParameterSyntax
  /** Maximum pairs per part, 1 to `maxPairsPerPart`. */
  batchSize: number
  maxPairs: number
  limitSeconds: number
  /** The part of the time limit that earlier attempts used. */
  spentSeconds: number
  /** When the request was accepted, epoch milliseconds: the packet's timestamp, the same in every attempt. */
  acceptedAt: number
}

/** Progress of a packet: finished sub-requests, and what was written so far. */
export interface PacketProgress {
  subRequestsDone: number
  pairs: number
  parts: number
  bytes: number
}

/** The result: what the packet holds, and observations to compare between slices. */
export interface Built extends PacketContent {
  observations: Observation[]
}

export interface BuildContext {
  originPolicy: OpenSettings
  sink: PartSink
  signal: AbortSignal
  onProgress: (progress: PacketProgress) => void
  sizes?: BuildSizes
  observer?: BuildObserver
  /** Stays readable if the build fails. */
  report?: Report
  /** Of a packet that may be a base, or has one. Pairs that the base has are left out. */
  index?: PairIndex | null
}

/**
 * Reads the origins and passes the packet's parts to `sink`, in memory that does not depend on the packet's size.
 * Independent of queue and HTTP: interruption comes as a signal, progress goes to a callback. A packet without pairs
 * has one empty part, a slice without pairs has no part, nor has a packet with an index.
 * @throws AppError: 400, 422, 502, 413 by the catalogue; jobTimedOut (504); the signal's reason when interrupted.
 */
export async function buildPacket(
  order: PacketOrder,
  { originPolicy, sink, signal, onProgress, observer, index = null, ...context }: BuildContext,
): Promise<Built> {
  const { sizes = defaultSizes, report = createReport(order.model) } = context
  const secondsLeft = Math.max(0, order.limitSeconds - order.spentSeconds)
  const timeout = AbortSignal.timeout(secondsLeft * 1_000)
  const interrupted = () => {
    signal.throwIfAborted()
    if (timeout.aborted) throw errors.jobTimedOut(order.limitSeconds)
  }
  const pairs = createPairMaker(order.syntax, index !== null)
  const { first, treatments } = order.slice ?? { first: 0, treatments: distinctTreatments(order.requests) }
  // All sub-requests of a packet have the same rules.
  const { masking } = planOf(order.requests[0] as PublishRequest)
  const maskerFor = createMasking(masking, order.maskKey?.key ?? null)
  const maskCheck = createMaskCheck(masking, Boolean(order.model))
  const rulesFor = order.model ? createModelRules(order.model) : null
  const observations = createObservations()
  const detectorOf = detectConflicts(treatments, observations)
  let subRequestsDone = 0
  const progress = () => onProgress({ subRequestsDone, pairs: writer.pairs, parts: writer.parts, bytes: writer.bytes })
  const deliver = async (part: SealedPart) => {
    interrupted()
    await sink(part)
    progress()
  }
  const writer = createPacketWriter({
    limits: partLimits(order.batchSize),
    maxPairs: order.maxPairs,
    errors: packetErrors,
    sink: deliver,
    onPair: observer?.pair,
    isKnown: index?.take,
  })
  const stopped = AbortSignal.any([signal, timeout])
  await using origins = originsUntil(stopped, originPolicy, Math.max(1, secondsLeft))
  const isMulti = order.slice !== undefined || order.requests.length > 1
  const selections = selectAhead(order.requests, origins, (request, at, origin) => {
    const plan = planOf(request)
    const conflicts = detectorOf(plan, first + at)
    const model = rulesFor?.(plan)
    const pathOf = (field: string) => (isMulti ? `[${first + at}].${field}` : field)
    const listed = order.listed?.[at] ?? null
    return {
      ...origin,
      sizes,
      plan,
      listed,
      pathOf,
      conflicts,
      pairs,
      writer,
      report,
      model,
      observer,
      index,
      masker: maskerFor(plan),
      maskCheck,
    }
  })
  for (const at of order.requests.keys()) {
    interrupted()
    try {
      await orAborted(stopped, async () => {
        const { context, selection } = await selections.take(at)
        selections.begin(at + 1)
        await writeRequest(context, selection, order.acceptedAt, interrupted)
        await observer?.written(context.plan, context)
      })
    } catch (error) {
      await writer.settle()
      interrupted() // a read broken by closing the connection is an interruption, not a broken origin
      // A failed read breaks the shared transaction.
      const isBroken = error instanceof AppError && error.code === 'originBroke'
      throw isBroken ? (selections.failure() ?? error) : error
    }
    subRequestsDone++
    progress()
  }
  // Deletions may follow, which are other parts.
  await writer.end({ evenIfEmpty: order.slice === undefined && index === null })
  interrupted()
  await origins.release()
  report.newTypes(pairs.newTypes())
  const notation = notationOf(order.requests, order.syntax, order.maskKey)
  const content = { ...notation, report: report.read(identitiesOfPacket), shape: writer.shape() }
  return { ...content, observations: [...observations.all()] }
}
