import type { FinalState } from '../../../wire/job-states.ts'
import { AppError } from '../../errors/app-error.ts'
import * as errors from '../../errors/catalogue.ts'
import type { PacketContent } from '../../publish/content.ts'
import type { Indices } from '../../publish/state/stored.ts'
import type { Observation } from '../../publish/write/conflicts.ts'
import type { Generations } from '../../storage/generations.ts'
import {
  cancelledKey,
  jobPrefix,
  packetName,
  partsOf,
  requestKey,
  sliceResultKey,
  sliceResultsOf,
} from '../../storage/keys.ts'
import { type ManifestPart, type StatePiece, type StoredState, voided } from '../../storage/manifest.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import { isSliced, type JobRecord } from '../job.ts'
import type { JobOrder } from '../order.ts'
import type { Owner } from './stored-request.ts'

/** The result of one slice of a large multi. A slice is done exactly when its result is in the store. */
export interface SliceResult extends PacketContent {
  /** The run that built it. */
  run: string
  parts: ManifestPart[]
  observations: Observation[]
  /** The slice's share of the packet's state, if the packet may be a base. */
  state?: StateShare
}

/** What a slice adds to a state: digests and compressed lines, and what gave its nodes their identities. */
export interface StateShare extends Pick<StoredState, 'keyKinds' | 'hasUnlisted'> {
  digests: StatePiece[]
  lines: StatePiece[]
  indices: Indices
}

const keysOf = ({ parts, state }: SliceResult): string[] =>
  [...parts, ...(state?.digests ?? []), ...(state?.lines ?? [])].map(({ key }) => key)

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
  const prefix = sliceResultsOf(orgName, id)
  const done = new Set<number>()
  for await (const { key } of store.list(prefix)) done.add(Number(key.slice(prefix.length)))
  return done
}

/** Which of the slices of a job, of which there are `count`, lack a result. */
export async function missingSlices(store: ObjectStore, owner: Owner, count: number): Promise<number[]> {
  const done = await doneSlices(store, owner)
  return Array.from({ length: count }, (_, slice) => slice).filter((slice) => !done.has(slice))
}

/** Number of slice results read concurrently. */
const readAtOnce = 16

/** The results of all slices of a job, of which there are `count`, in order. */
export async function* sliceResults(store: ObjectStore, owner: Owner, count: number): AsyncGenerator<SliceResult> {
  for (let first = 0; first < count; first += readAtOnce) {
    const some = Array.from({ length: Math.min(readAtOnce, count - first) }, (_, index) => first + index)
    for (const result of await Promise.all(some.map((slice) => readSliceResult(store, owner, slice)))) {
      if (result === null) throw errors.storeAway(new Error('the result of a slice is gone'))
      yield result
    }
  }
}

/** Totals of parts, for the progress of their job. */
export function totals(parts: readonly ManifestPart[]) {
  const sum = (field: 'bytes' | 'pairs') => parts.reduce((total, part) => total + part[field], 0)
  return { pairs: sum('pairs'), parts: parts.length, bytes: sum('bytes') }
}

export type Voiding = Pick<Storage, 'store' | 'generations'>

export type VoidableJob = Pick<JobRecord, 'id' | 'orgName' | 'fileName'> & { order: Pick<JobOrder, 'latestBefore'> }

/**
 * Ensures that no run of a job commits parts that it has stored. A run may have begun to commit although a Redis that
 * was rolled back does not show it. @returns false when a run has already committed.
 */
export async function voidStoredParts({ store, generations }: Voiding, job: VoidableJob): Promise<boolean> {
  const hasParts = await store.hasAny(partsOf(packetName(job.orgName, job.fileName), job.id))
  return !hasParts || (await voidJob(generations, job))
}

/** Ensures that no run of a job can commit any more. @returns false when a run has already committed. */
export async function voidJob(generations: Generations, job: VoidableJob): Promise<boolean> {
  const { id, orgName, fileName, order } = job
  const above = order.latestBefore
  const name = packetName(orgName, fileName)
  try {
    await generations.commit(name, voided(id), {
      force: true,
      taken: () => errors.fileExists(orgName, fileName),
      above,
    })
    return (await generations.ofJob(name, id, above)) === null
  } catch (error) {
    if (error instanceof AppError && error.code === 'jobVoided') return true
    throw error
  }
}

/** Removes the parts of the finished slices of a failed or cancelled job, once no manifest can refer to them. */
export async function discardSlices({ store, generations }: Voiding, job: VoidableJob): Promise<void> {
  const done = await doneSlices(store, job)
  if (done.size === 0 || !(await voidJob(generations, job))) return
  for (const slice of done) {
    const result = await readSliceResult(store, job, slice)
    for (const key of result ? keysOf(result) : []) await store.remove(key)
  }
}

/** The key of all that an unfinished job keeps in the store; null if it keeps several objects. */
export const onlyObjectOf = ({ id, orgName, progress, order }: JobRecord): string | null =>
  isSliced({ progress, order }) || order.bound ? null : requestKey(orgName, id)

/** Removes what an unfinished job keeps in the store, except the object `kept`, once the end of the job is recorded. */
export async function removeRequest(store: ObjectStore, { id, orgName }: Owner, kept?: string): Promise<void> {
  for await (const { key } of store.list(jobPrefix(orgName, id))) if (key !== kept) await store.remove(key)
}

/**
 * Removes what an ended job kept in the store: its request, and what was built of a job that did not succeed. Of a
 * cancelled job a mark stays until sweeps remove it: a Redis that was rolled back may deliver the job again, and the
 * worker then finds no request.
 */
export async function removeStored(storage: Voiding, job: JobRecord, outcome: FinalState): Promise<void> {
  const mark = outcome === 'cancelled' ? await markCancelled(storage.store, job) : undefined
  // While the results of its slices can still be found.
  if (outcome !== 'succeeded' && isSliced(job)) await discardSlices(storage, job)
  await removeRequest(storage.store, job, mark)
}

/** @returns the key of the mark. */
async function markCancelled(store: ObjectStore, { id, orgName }: Owner): Promise<string> {
  const key = cancelledKey(orgName, id)
  await store.put(key, Buffer.from('{}'))
  return key
}

export const wasCancelled = async (store: ObjectStore, { id, orgName }: Owner): Promise<boolean> =>
  (await store.get(cancelledKey(orgName, id))) !== null
