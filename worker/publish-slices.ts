import type { Job } from 'bullmq'
import { emptyPart } from '../packet/parts/part-buffer.ts'
import * as errors from '../shared/errors/catalogue.ts'
import type { JobRecord } from '../shared/jobs/job.ts'
import { doneSlices, readSliceResult, type SliceResult, storeSliceResult } from '../shared/jobs/stored/slice-results.ts'
import { readPlan, readRequests, subRequestsPerSlice } from '../shared/jobs/stored/stored-request.ts'
import { mergeContents } from '../shared/publish/content.ts'
import { createObservations } from '../shared/publish/write/conflicts.ts'
import { boundTreatments } from '../shared/publish/write/treatments.ts'
import type { JobPayload } from '../shared/queue/queue.ts'
import { buildParts, type Run, stagingOf } from './build-parts.ts'
import { commitPacket, totals } from './commit-packet.ts'
import type { WorkerContext } from './context.ts'

/**
 * The step of a large multi before and after its slices. It queues the slices that are not yet built, and runs again
 * when all are built, to commit. Several of these steps may run concurrently: they would commit the same parts.
 * @returns the generation; null if it must wait for slices.
 */
export async function publishSlices(
  context: WorkerContext,
  job: JobRecord,
  { signal }: Run,
  delivery: Job<JobPayload>,
): Promise<number | null> {
  const { store, queue, failpoint } = context
  const { slices } = await readPlan(context, job)
  for (;;) {
    const done = await doneSlices(store, job)
    const missing = [...slices.keys()].filter((slice) => !done.has(slice))
    if (missing.length === 0) break
    // All slices were done before the commit began, and none is rebuilt after that.
    if (job.state === 'committing') throw errors.storeAway(new Error('the result of a slice is gone'))
    signal.throwIfAborted()
    await queue.addSlices(job, missing)
    failpoint('slicesAdded')
    if (await delivery.moveToWaitingChildren(delivery.token as string)) return null
  }
  failpoint('slicesDone')
  const { content, manifest } = await gather(context, job, slices.length)
  // Another step may have committed these parts, or may do so soon, so they are removed only after the job has failed.
  return commitPacket(context, job, { attempt: null, manifest, content, discard: null })
}

/** Number of slice results read concurrently. */
const readAtOnce = 16

async function gather({ store, config }: WorkerContext, job: JobRecord, slices: number) {
  const observations = createObservations()
  const results: Omit<SliceResult, 'observations'>[] = []
  for (let first = 0; first < slices; first += readAtOnce) {
    const some = Array.from({ length: Math.min(readAtOnce, slices - first) }, (_, index) => first + index)
    for (const result of await Promise.all(some.map((slice) => readSliceResult(store, job, slice)))) {
      if (result === null) throw errors.storeAway(new Error('the result of a slice is gone'))
      const { observations: observed, ...rest } = result
      for (const observation of observed) observations.record(observation)
      results.push(rest)
    }
  }
  const staging = stagingOf({ store }, job, job.attempt, slices)
  const manifest = staging.manifest()
  manifest.parts = results.flatMap(({ parts }) => parts)
  if (totals(manifest.parts).pairs > config.limits.jobPairs) throw errors.tooManyPairs(config.limits.jobPairs)
  if (manifest.parts.length === 0) {
    await staging.put({ number: 1, bytes: emptyPart, pairs: 0, statements: {} })
    manifest.parts = [...staging.parts]
  }
  return { manifest, content: mergeContents(results) }
}

/** Runs one slice. The run counts if it is the first to store its result. */
export async function publishSlice(context: WorkerContext, job: JobRecord, slice: number, run: Run): Promise<void> {
  const { store, slices: records, failpoint } = context
  const first = slice * subRequestsPerSlice
  const known = run.attempt > 1 ? await readSliceResult(store, job, slice) : null
  if (known) {
    await records.done(job.id, slice)
    const subRequestsDone = Math.min(subRequestsPerSlice, job.progress.subRequests - first)
    return run.onProgress({ subRequestsDone, ...totals(known.parts) })
  }
  const { slices, treatments, credentials } = await readPlan(context, job)
  const read = await readRequests(context, job, slices[slice], credentials)
  const staging = stagingOf(context, job, run.attempt, slice)
  const part = { ...read, slice: { first, treatments: boundTreatments(treatments, read.model) } }
  const { observations, ...content } = await buildParts(context, job, run, staging, part)
  failpoint('beforeSliceResult')
  const result = { run: staging.run, parts: [...staging.parts], ...content, observations }
  const isCounted = await storeSliceResult(store, job, slice, result)
  await records.done(job.id, slice)
  if (!isCounted) await staging.discard().catch(() => {})
  failpoint('sliceStored')
}
