import * as errors from '../errors/catalogue.ts'
import type { PublishRequest } from '../publish/request.ts'
import { distinctViews, type View } from '../publish/shared-nodes.ts'
import { endKey, jobPrefix, planKey, requestKey } from '../storage/keys.ts'
import type { ByteRange, ObjectStore } from '../storage/object-store.ts'
import { allDone } from './all-done.ts'
import type { JobError, JobRecord } from './record.ts'
import type { Secrets } from './secrets.ts'

/** A sub-request as it is stored: credentials are replaced by their place among the job's secrets. */
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

/** How a large multi is cut: where each slice's sub-requests stand in its request. */
export interface SlicePlan {
  slices: ByteRange[]
  /** Of all its sub-requests: what a slice must know of the others. */
  views: View[]
}

/** Stores the request of a job, without credentials: a line for each sub-request; and its plan, if it is a large one. */
export async function storeRequest(
  store: ObjectStore,
  { id, orgName }: Owner,
  requests: readonly PublishRequest[],
): Promise<{ secrets: string[] }> {
  const places = new Map<string, number>()
  const lines = requests.map(({ credentials, ...request }) => {
    const secret = places.get(credentials) ?? places.size
    places.set(credentials, secret)
    return `${JSON.stringify({ ...request, secret } satisfies StoredRequest)}\n`
  })
  const stored: Promise<unknown>[] = [store.put(requestKey(orgName, id), Buffer.from(lines.join('')))]
  if (lines.length > subRequestsPerSlice) {
    const plan: SlicePlan = { slices: rangesOf(lines), views: distinctViews(requests) }
    stored.push(store.put(planKey(orgName, id), Buffer.from(JSON.stringify(plan))))
  }
  await allDone(stored)
  return { secrets: [...places.keys()] }
}

function rangesOf(lines: readonly string[]): ByteRange[] {
  const ranges: ByteRange[] = []
  let from = 0
  for (let first = 0; first < lines.length; first += subRequestsPerSlice) {
    const bytes = Buffer.byteLength(lines.slice(first, first + subRequestsPerSlice).join(''))
    ranges.push({ from, bytes })
    from += bytes
  }
  return ranges
}

/**
 * The sub-requests of a job, or those of one slice, put together again.
 * @throws secretsGone, or requestGone when the request is not there.
 */
export async function readRequests(
  { store, secrets }: Source,
  { id, orgName }: Owner,
  slice?: ByteRange,
): Promise<PublishRequest[]> {
  const bytes = await store.get(requestKey(orgName, id), slice)
  if (bytes === null) throw errors.requestGone(new Error(`the request of job ${id} is not in the store`))
  const credentials = await secrets.read(id)
  if (credentials === null) throw errors.secretsGone()
  const lines = bytes.toString().trimEnd().split('\n')
  return lines.map((line) => {
    const { secret, ...request } = JSON.parse(line) as StoredRequest
    return { ...request, credentials: credentials[secret] as string }
  })
}

export async function readPlan({ store }: Pick<Source, 'store'>, { id, orgName }: Owner): Promise<SlicePlan> {
  const bytes = await store.get(planKey(orgName, id))
  if (bytes === null) throw errors.requestGone(new Error(`the plan of job ${id} is not in the store`))
  return JSON.parse(bytes.toString())
}

/** Removes what a job kept in the store while it was unfinished. */
export async function removeRequest(store: ObjectStore, { id, orgName }: Owner): Promise<void> {
  for await (const { key } of store.list(jobPrefix(orgName, id))) await store.remove(key)
}

/** How a job ended that made no packet. */
export interface JobEnd {
  state: 'failed' | 'cancelled'
  error: JobError | null
}

/**
 * Removes the request of a job that has ended without a packet, but leaves its end, for a Redis that was rolled back may
 * bring the job to a worker again, which finds no request then. Sweeps remove it.
 */
export async function closeRequest(store: ObjectStore, owner: Owner, end: JobEnd): Promise<void> {
  const kept = endKey(owner.orgName, owner.id)
  await store.put(kept, Buffer.from(JSON.stringify(end)))
  for await (const { key } of store.list(jobPrefix(owner.orgName, owner.id))) if (key !== kept) await store.remove(key)
}

/** null for a job that has not ended, or has made its packet. */
export async function readEnd(store: ObjectStore, { id, orgName }: Owner): Promise<JobEnd | null> {
  const bytes = await store.get(endKey(orgName, id))
  return bytes === null ? null : JSON.parse(bytes.toString())
}
