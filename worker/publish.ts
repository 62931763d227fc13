import type { Job } from 'bullmq'
import { emptyPart } from '../packet/parts/part-buffer.ts'
import * as errors from '../shared/errors/catalogue.ts'
import { isSliced, type JobRecord, subRequestsPerSlice } from '../shared/jobs/job.ts'
import {
  missingSlices,
  readSliceResult,
  sliceResults,
  storeSliceResult,
  totals,
} from '../shared/jobs/stored/results.ts'
import { mergeContents, type PacketContent } from '../shared/publish/content.ts'
import { createObservations } from '../shared/publish/write/conflicts.ts'
import type { JobPayload } from '../shared/queue/queue.ts'
import type { ManifestPart } from '../shared/storage/manifest.ts'
import { buildSlice, type Run, stagingOf } from './build-slice.ts'
import { commitPacket, type Packet } from './commit-packet.ts'
import type { WorkerContext } from './context.ts'

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
  const packet = isSliced(job) ? await joinSlices(context, job, run, delivery) : await buildSlice(context, job, run)
  return packet && commitPacket(context, job, packet)
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
): Promise<Packet | null> {
  const { store, queue, config, failpoint } = context
  for (;;) {
    const missing = await missingSlices(store, job)
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
  for await (const result of sliceResults(store, job)) {
    const { observations: observed, parts: stored, ...content } = result
    for (const observation of observed) observations.record(observation)
    parts.push(...stored)
    contents.push(content)
  }
  if (totals(parts).pairs > config.limits.jobPairs) throw errors.tooManyPairs(config.limits.jobPairs)
  const staging = stagingOf(context, job, attempt)
  if (parts.length === 0) await staging.put({ number: 1, bytes: emptyPart, pairs: 0, statements: {} })
  return { staging, parts: [...parts, ...staging.parts], content: mergeContents(contents) }
}

/** A run of one slice of several. It counts if it is the first to store its result. */
export async function publishSlice(context: WorkerContext, job: JobRecord, slice: number, run: Run): Promise<void> {
  const { store, records, failpoint } = context
  const known = run.attempt > 1 ? await readSliceResult(store, job, slice) : null
  if (known) {
    await records.sliceDone(job.id, slice)
    const subRequestsDone = Math.min(subRequestsPerSlice, job.progress.subRequests - slice * subRequestsPerSlice)
    return run.onProgress({ subRequestsDone, ...totals(known.parts) })
  }
  const { staging, parts, content, observations } = await buildSlice(context, job, run, slice)
  failpoint('beforeSliceResult')
  const result = { run: staging.run, parts, ...content, observations }
  const isCounted = await storeSliceResult(store, job, slice, result)
  await records.sliceDone(job.id, slice)
  if (!isCounted) await staging.discard().catch(() => {})
  failpoint('sliceStored')
}
