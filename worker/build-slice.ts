import { defaultSyntax } from '../packet/cypher/parameters.ts'
import type { SealedPart } from '../packet/parts/packet-writer.ts'
import * as errors from '../shared/errors/catalogue.ts'
import type { JobRecord } from '../shared/jobs/job.ts'
import { partStored } from '../shared/observability/events.ts'
import { observeBolt } from '../shared/observability/metrics.ts'
import { inSpan } from '../shared/observability/spans.ts'
import { buildPacket, type PacketOrder, type PacketProgress } from '../shared/publish/build-packet.ts'
import { createReport } from '../shared/publish/report/report.ts'
import type { PairIndex } from '../shared/publish/state/index-pairs.ts'
import type { Observation } from '../shared/publish/write/conflicts.ts'
import { type MaskKey, maskKeyOf } from '../shared/request/mask/mask-key.ts'
import { packetName } from '../shared/storage/keys.ts'
import { stageParts } from '../shared/storage/staging.ts'
import type { JobReport } from '../wire/job.ts'
import type { Packet } from './commit-packet.ts'
import type { WorkerContext } from './context.ts'

export interface Run {
  attempt: number
  signal: AbortSignal
  onProgress: (progress: PacketProgress) => void
}

/** What a slice builds: its sub-requests, and the nodes of those that select nodes. */
export interface SliceOrder extends Pick<PacketOrder, 'requests' | 'model' | 'slice' | 'listed'> {
  /** What listing the nodes has reported, if they make only this slice. */
  listing?: JobReport
  /** Of a packet that may be a base, or has one. */
  index?: PairIndex | null
}

/** Parts of a run of a job, or of one of its slices, under keys of this run. */
export function stagingOf({ store }: Pick<WorkerContext, 'store'>, job: JobRecord, attempt: number, slice?: number) {
  const { id: jobId, orgName, fileName, order } = job
  return stageParts(store, packetName(orgName, fileName), { jobId, attempt, compression: order.compression }, slice)
}

/** @throws maskKeyGone (500) */
function maskKeyOfJob({ config }: Pick<WorkerContext, 'config'>, { order, orgName }: JobRecord): MaskKey | null {
  if (order.maskKey === undefined) return null
  const key = config.maskKeys.find(({ id }) => id === order.maskKey)
  if (key === undefined) throw errors.maskKeyGone(order.maskKey)
  return maskKeyOf(key, orgName)
}

/**
 * Builds the only slice of a job, or one of several, `slice`, and stages its parts; a failed run discards its parts. The
 * observations are compared with the observations of other slices.
 */
export async function buildSlice(
  context: WorkerContext,
  job: JobRecord,
  run: Run,
  { listing, index = null, ...given }: SliceOrder,
  slice?: number,
): Promise<Packet & { observations: Observation[] }> {
  const staging = stagingOf(context, job, run.attempt, slice)
  const { config, metrics, failpoint } = context
  const originPolicy = { ...config.origin, observe: observeBolt(metrics, 'origin'), kept: context.keptOrigins }
  const sink = async (part: SealedPart) => {
    await inSpan('PUT part', { kind: 'client', attributes: { 'http.request.method': 'PUT' } }, () => staging.put(part))
    partStored(context, part)
    failpoint('partStored')
  }
  const order: PacketOrder = {
    ...given,
    maskKey: maskKeyOfJob(context, job),
    syntax: given.requests[0]?.parameterSyntax ?? defaultSyntax,
    batchSize: job.order.batchSize,
    maxPairs: config.limits.jobPairs,
    limitSeconds: config.limits.jobSeconds,
    spentSeconds: Math.floor(job.ranMs / 1_000),
    acceptedAt: Date.parse(job.createdAt),
  }
  const onProgress = (progress: PacketProgress) => {
    failpoint('midRead')
    // A sub-request that is cut into several slices is done when all of them are.
    run.onProgress(job.order.selects && slice !== undefined ? { ...progress, subRequestsDone: 0 } : progress)
  }
  const { signal } = run
  const attributes = { 'db.system.name': 'neo4j', 'packets.sub_requests': order.requests.length }
  const report = createReport(order.model)
  if (listing) report.add(listing)
  try {
    const { observations, ...content } = await inSpan('read origin', { kind: 'client', attributes }, () =>
      buildPacket(order, { originPolicy, sink, signal, onProgress, report, index }),
    )
    return { staging, parts: [...staging.parts], content, observations }
  } catch (error) {
    await staging.discard().catch(() => {}) // the janitor sweeps parts that remain
    throw error
  }
}
