import * as errors from '../../errors/catalogue.ts'
import type { PacketContent } from '../../publish/content.ts'
import type { Observation } from '../../publish/write/conflicts.ts'
import { sliceResultKey, sliceResults } from '../../storage/keys.ts'
import type { ManifestPart } from '../../storage/manifest.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import type { Owner } from './stored-request.ts'
import { type VoidableJob, type Voiding, voidJob } from './void-job.ts'

/** The result of one slice of a large multi. A slice is done exactly when its result is in the store. */
export interface SliceResult extends PacketContent {
  /** The run that built it. */
  run: string
  parts: ManifestPart[]
  observations: Observation[]
}

/**
 * Stores a slice's result unless another run already has: one run's result counts.
 * @returns whether this run's result counts.
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
  // A 412 may refer to our own first PUT whose answer was lost, so check who wrote the object.
  const written = await readSliceResult(store, owner, slice)
  if (written === null) throw errors.storeAway(new Error('the result of a slice had no answer'))
  return written.run === result.run
}

/** The result of a slice; null if it is not done. */
export async function readSliceResult(
  store: ObjectStore,
  { id, orgName }: Owner,
  slice: number,
): Promise<SliceResult | null> {
  const bytes = await store.get(sliceResultKey(orgName, id, slice))
  return bytes === null ? null : JSON.parse(bytes.toString())
}

/** The slices that are done. */
export async function doneSlices(store: ObjectStore, { id, orgName }: Owner): Promise<Set<number>> {
  const prefix = sliceResults(orgName, id)
  const done = new Set<number>()
  for await (const { key } of store.list(prefix)) done.add(Number(key.slice(prefix.length)))
  return done
}

/** Removes the parts of the finished slices of a failed or cancelled job, once no manifest can refer to them. */
export async function discardSlices({ store, generations }: Voiding, job: VoidableJob): Promise<void> {
  const done = await doneSlices(store, job)
  if (done.size === 0 || !(await voidJob(generations, job))) return
  for (const slice of done) {
    const result = await readSliceResult(store, job, slice)
    for (const { key } of result?.parts ?? []) await store.remove(key)
  }
}
