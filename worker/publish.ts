import type { Job } from 'bullmq'
import { emptyPart } from '../packet/parts/part-buffer.ts'
import * as errors from '../shared/errors/catalogue.ts'
import { isSliced, type JobRecord, sliceCount, subRequestsPerSlice } from '../shared/jobs/job.ts'
import {
  missingSlices,
  readSliceResult,
  sliceResults,
  storeSliceResult,
  totals,
} from '../shared/jobs/stored/results.ts'
import { readRequests, readSlice } from '../shared/jobs/stored/stored-request.ts'
import { readSelectedSlice } from '../shared/jobs/stored/stored-selection.ts'
import { mergeContents, type PacketContent } from '../shared/publish/content.ts'
import { identitiesOfPacket, mergeReports } from '../shared/publish/report/report.ts'
import { createObservations } from '../shared/publish/write/conflicts.ts'
import type { JobPayload } from '../shared/queue/queue.ts'
import type { ManifestPart } from '../shared/storage/manifest.ts'
import type { JobReport } from '../wire/job.ts'
import { buildSlice, type Run, type SliceOrder, stagingOf } from './build-slice.ts'
import { commitPacket, type Packet } from './commit-packet.ts'
import type { WorkerContext } from './context.ts'
import { listNodes } from './list-nodes.ts'
import { openState, type StateOfPacket } from './state-of-packet.ts'

/**
 * A run of a job, which is a list of slices. It builds the only slice, or joins several. Then it commits; several runs may
 * do so at once.
 * @returns the generation; null if the job waits for its slices.
 */
export async function publishJob(
  context: WorkerContext,
  job: JobRecord,
  run: Run,
  delivery: Job<JobPayload>,
): Promise<number | null> {
  const state = await openState(context, job)
  try {
    const packet = await packetOf(context, job, run, delivery, state)
    if (packet === null) return null
    const generation = await commitPacket(context, job, packet)
    // The janitor sweeps what remains.
    if (packet.leftovers?.length) await context.store.removeMany(packet.leftovers).catch(() => {})
    return generation
  } finally {
    state?.close()
  }
}

async function packetOf(
  context: WorkerContext,
  job: JobRecord,
  run: Run,
  delivery: Job<JobPayload>,
  state: StateOfPacket,
): Promise<Packet | null> {
  if (job.order.selects) {
    const listed = await listNodes(context, job, run)
    if ('only' in listed) return buildOnly(context, job, run, listed.only, state)
    context.failpoint('selectionStored')
    const { slices, report } = listed
    await context.records.addRuns(job.id, slices.length)
    return joinSlices(context, job, run, delivery, { count: slices.length, listing: report, state })
  }
  if (!isSliced(job)) return buildOnly(context, job, run, await readRequests(context, job), state)
  return joinSlices(context, job, run, delivery, { count: sliceCount(job.progress.subRequests), listing: null, state })
}

/** Builds the only slice of a job. */
async function buildOnly(
  context: WorkerContext,
  job: JobRecord,
  run: Run,
  order: SliceOrder,
  state: StateOfPacket,
): Promise<Packet> {
  const index = (await state?.index(order.requests)) ?? null
  const packet = await buildSlice(context, job, run, { ...order, index })
  return state ? orDiscarded(packet, () => state.complete(packet, run.signal)) : packet
}

/** Does more for what a run has staged. If that fails, nothing of the run remains. */
async function orDiscarded<T>({ staging }: Pick<Packet, 'staging'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await staging.discard().catch(() => {}) // the janitor sweeps what remains
    throw error
  }
}

/** The slices of a job, what listing their nodes has reported, and the state that they lead to. */
interface Slices {
  count: number
  listing: JobReport | null
  state: StateOfPacket
}

/**
 * The parts of all slices, in order, and what they hold. Slices that lack a result are queued, even if it is only one:
 * the queue ends no delivery of a job while it has one of its slices.
 * @returns null if the job waits for its slices.
 */
async function joinSlices(
  context: WorkerContext,
  job: JobRecord,
  { attempt, signal }: Run,
  delivery: Job<JobPayload>,
  { count, listing, state }: Slices,
): Promise<Packet | null> {
  const { store, queue, config, failpoint } = context
  for (;;) {
    const missing = await missingSlices(store, job, count)
    if (missing.length === 0) break
    // All slices were done before the commit began, and none is rebuilt after that.
    if (job.state === 'committing') throw errors.storeAway(new Error('the result of a slice is gone'))
    signal.throwIfAborted()
    await queue.addSlices(job, missing)
    failpoint('slicesAdded')
    if (await delivery.moveToWaitingChildren(delivery.token as string)) return null
  }
  failpoint('slicesDone')
  const observations = createObservations()
  const parts: ManifestPart[] = []
  const contents: PacketContent[] = []
  const leftovers: string[] = []
  for await (const result of sliceResults(store, job, count)) {
    const { observations: observed, parts: stored, state: share, ...content } = result
    if (share) state?.add(share)
    for (const { key } of [...(share?.digests ?? []), ...(share?.lines ?? [])]) leftovers.push(key)
    for (const observation of observed) observations.record(observation)
    parts.push(...stored)
    contents.push(content)
  }
  if (totals(parts).pairs > config.limits.jobPairs) throw errors.tooManyPairs(config.limits.jobPairs)
  const staging = stagingOf(context, job, attempt)
  if (parts.length === 0 && state === null) await staging.put({ number: 1, bytes: emptyPart, pairs: 0, statements: {} })
  const content = mergeContents(contents)
  const report = listing ? mergeReports([content.report, listing], identitiesOfPacket) : content.report
  const packet = { staging, parts: [...parts, ...staging.parts], content: { ...content, report }, leftovers }
  return state ? orDiscarded(packet, () => state.complete(packet, signal)) : packet
}

/** A run of one slice of several. It counts if it is the first to store its result. */
export async function publishSlice(context: WorkerContext, job: JobRecord, slice: number, run: Run): Promise<void> {
  const { store, records, failpoint } = context
  const known = run.attempt > 1 ? await readSliceResult(store, job, slice) : null
  if (known) {
    await records.sliceDone(job.id, slice)
    const left = job.progress.subRequests - slice * subRequestsPerSlice
    const subRequestsDone = job.order.selects ? 0 : Math.min(subRequestsPerSlice, left)
    return run.onProgress({ subRequestsDone, ...totals(known.parts) })
  }
  const given = await (job.order.selects ? readSelectedSlice : readSlice)(context, job, slice)
  const state = await openState(context, job)
  try {
    const index = (await state?.index(given.requests)) ?? null
    const built = await buildSlice(context, job, run, { ...given, index }, slice)
    const { staging, parts, content, observations } = built
    const share = state && (await orDiscarded(built, () => state.share(staging)))
    failpoint('beforeSliceResult')
    const result = { run: staging.run, parts, ...content, observations, ...(share ? { state: share } : {}) }
    const isCounted = await storeSliceResult(store, job, slice, result)
    await records.sliceDone(job.id, slice)
    if (!isCounted) await staging.discard().catch(() => {})
    failpoint('sliceStored')
  } finally {
    state?.close()
  }
}
