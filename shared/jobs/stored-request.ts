import * as errors from '../errors/catalogue.ts'
import { distinctViews, type View } from '../publish/build/conflicts.ts'
import type { PublishRequest } from '../publish/request/fields.ts'
import { cancelledKey, jobPrefix, planKey, requestKey } from '../storage/keys.ts'
import type { ByteRange, ObjectStore } from '../storage/object-store.ts'
import { allDone } from './all-done.ts'
import type { JobRecord } from './record.ts'
import type { Encrypted, Secrets } from './secrets.ts'

/** A sub-request as it is stored: credentials are replaced by their place in the list that is encrypted. */
interface StoredRequest extends Omit<PublishRequest, 'credentials'> {
  secret: number
}

type Owner = Pick<JobRecord, 'id' | 'orgName'>

interface Source {
  store: ObjectStore
  secrets: Secrets
}

/**
 * Sub-requests that one run builds. A larger multi is cut into slices of so many, whatever number of workers there are,
 * so that its parts are always the same.
 */
export const subRequestsPerSlice = 20

export const isSliced = ({ progress }: Pick<JobRecord, 'progress'>): boolean =>
  progress.subRequests > subRequestsPerSlice

/** Runs that a job takes when nothing fails: one, or one for each slice and one that commits them. */
export const runsOf = (subRequests: number): number =>
  subRequests > subRequestsPerSlice ? Math.ceil(subRequests / subRequestsPerSlice) + 1 : 1

/** How a large multi is cut: where each slice's sub-requests stand in its request, and where its credentials do. */
export interface SlicePlan {
  slices: ByteRange[]
  /** None in a plan of version 1. */
  credentials?: ByteRange
  /** Of all its sub-requests: what a slice must know of the others. */
  views: View[]
}

/**
 * Stores the request of a job: a line with its credentials, encrypted, then a line for each sub-request; and its plan,
 * if it is a large one. @returns the sealed key of the credentials, for the job's record.
 */
export async function storeRequest(
  store: ObjectStore,
  encrypt: (jobId: string, credentials: readonly string[]) => Encrypted,
  { id, orgName }: Owner,
  requests: readonly PublishRequest[],
): Promise<{ sealedKey: string }> {
  const places = new Map<string, number>()
  const lines = requests.map(({ credentials, ...request }) => {
    const secret = places.get(credentials) ?? places.size
    places.set(credentials, secret)
    return `${JSON.stringify({ ...request, secret } satisfies StoredRequest)}\n`
  })
  const { sealedKey, text } = encrypt(id, [...places.keys()])
  const head = `${text}\n`
  const stored: Promise<unknown>[] = [store.put(requestKey(orgName, id), Buffer.from(head + lines.join('')))]
  if (lines.length > subRequestsPerSlice) {
    const credentials = { from: 0, bytes: head.length }
    const plan: SlicePlan = { slices: rangesOf(lines, head.length), credentials, views: distinctViews(requests) }
    stored.push(store.put(planKey(orgName, id), Buffer.from(JSON.stringify(plan))))
  }
  await allDone(stored)
  return { sealedKey }
}

function rangesOf(lines: readonly string[], start: number): ByteRange[] {
  const ranges: ByteRange[] = []
  let from = start
  for (let first = 0; first < lines.length; first += subRequestsPerSlice) {
    const bytes = Buffer.byteLength(lines.slice(first, first + subRequestsPerSlice).join(''))
    ranges.push({ from, bytes })
    from += bytes
  }
  return ranges
}

/**
 * The sub-requests of a job put together again, or those of one slice, for which its plan says where they and the
 * credentials stand.
 * @throws secretsGone, or requestGone when the request is not there.
 */
export async function readRequests(
  { store, secrets }: Source,
  { id, orgName }: Owner,
  slice?: ByteRange,
  credentials?: ByteRange,
): Promise<PublishRequest[]> {
  const read = async (range?: ByteRange) => {
    const bytes = await store.get(requestKey(orgName, id), range)
    if (bytes === null) throw errors.requestGone(new Error(`the request of job ${id} is not in the store`))
    return bytes.toString().trimEnd().split('\n')
  }
  const parts = [...(credentials ? [read(credentials)] : []), read(slice)]
  await Promise.allSettled(parts)
  const lines = (await Promise.all(parts)).flat()
  const decrypt = await secrets.read(id)
  // Lines of version 1 are all sub-requests.
  const head = lines[0]?.startsWith('{') ? null : (lines.shift() ?? null)
  const opened = decrypt?.(head)
  if (!opened) throw errors.secretsGone()
  return lines.map((line) => {
    const { secret, ...request } = JSON.parse(line) as StoredRequest
    return { ...request, credentials: opened[secret] as string }
  })
}

export async function readPlan({ store }: Pick<Source, 'store'>, { id, orgName }: Owner): Promise<SlicePlan> {
  const bytes = await store.get(planKey(orgName, id))
  if (bytes === null) throw errors.requestGone(new Error(`the plan of job ${id} is not in the store`))
  return JSON.parse(bytes.toString())
}

/** Removes what a job kept in the store while it was unfinished: only once its end is on record. */
export async function removeRequest(store: ObjectStore, { id, orgName }: Owner): Promise<void> {
  for await (const { key } of store.list(jobPrefix(orgName, id))) await store.remove(key)
}

/**
 * Removes the request of a job that was cancelled, but leaves that it was, for a Redis that was rolled back may bring the
 * job to a worker again, which finds no request then. Sweeps remove it. `discard` removes what was built, while it can
 * still be found.
 */
export async function closeCancelled(
  store: ObjectStore,
  { id, orgName }: Owner,
  discard: () => Promise<void>,
): Promise<void> {
  const kept = cancelledKey(orgName, id)
  await store.put(kept, Buffer.from('{}'))
  await discard()
  for await (const { key } of store.list(jobPrefix(orgName, id))) if (key !== kept) await store.remove(key)
}

export const wasCancelled = async (store: ObjectStore, { id, orgName }: Owner): Promise<boolean> =>
  (await store.get(cancelledKey(orgName, id))) !== null
