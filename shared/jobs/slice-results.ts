import * as errors from '../errors/catalogue.ts'
import type { Observation } from '../publish/build/conflicts.ts'
import type { JobReport } from '../publish/parts/report.ts'
import type { ManifestPart } from '../storage/generations.ts'
import { sliceResultKey, sliceResults } from '../storage/keys.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import type { Storage } from '../storage/storage.ts'
import type { JobRecord } from './record.ts'
import { type VoidableJob, voidJob } from './void-job.ts'

/** What one slice of a large multi came to. It is done when this stands in the store, and not before. */
export interface SliceResult {
  /** The run that built it. */
  run: string
  parts: ManifestPart[]
  report: JobReport
  /** Stored under this name since version 1. */
  sights: Observation[]
}

type Owner = Pick<JobRecord, 'id' | 'orgName'>

/**
 * Stores a slice's result unless another run has: of any number of runs, one counts.
 * @returns whether it is this one.
 */
export async function storeSliceResult(
  store: ObjectStore,
  owner: Owner,
  slice: number,
  result: SliceResult,
): Promise<boolean> {
  const key = sliceResultKey(owner.orgName, owner.id, slice)
  const outcome = await store.create(key, Buffer.from(JSON.stringify(result)))
  if (outcome === 'created') return true
  // A 412 may be our own first PUT whose answer was lost, so look who wrote it.
  const written = await readSliceResult(store, owner, slice)
  if (written === null) throw errors.storeAway(new Error('the result of a slice had no answer'))
  return written.run === result.run
}

/** null for a slice that is not done. */
export async function readSliceResult(
  store: ObjectStore,
  { id, orgName }: Owner,
  slice: number,
): Promise<SliceResult | null> {
  const bytes = await store.get(sliceResultKey(orgName, id, slice))
  return bytes === null ? null : JSON.parse(bytes.toString())
}

/** Which slices are done. */
export async function doneSlices(store: ObjectStore, { id, orgName }: Owner): Promise<Set<number>> {
  const prefix = sliceResults(orgName, id)
  const done = new Set<number>()
  for await (const { key } of store.list(prefix)) done.add(Number(key.slice(prefix.length)))
  return done
}

/**
 * Removes the parts of what is done, of a job that failed or was cancelled. Not before no manifest can refer to them: a run
 * may have begun to commit, and a Redis that was rolled back no longer know it.
 */
export async function discardSlices(
  { store, generations }: Pick<Storage, 'store' | 'generations'>,
  job: VoidableJob,
): Promise<void> {
  const done = await doneSlices(store, job)
  if (done.size === 0 || !(await voidJob(generations, job))) return
  for (const slice of done) {
    const result = await readSliceResult(store, job, slice)
    for (const { key } of result?.parts ?? []) await store.remove(key)
  }
}
