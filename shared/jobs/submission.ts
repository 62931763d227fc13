import { randomUUID } from 'node:crypto'
import type { SecretKey } from '../config/lists.ts'
import * as errors from '../errors/catalogue.ts'
import type { PublishRequest } from '../publish/request.ts'
import { requestKey } from '../storage/keys.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { type Idempotency, sameJob } from './idempotency.ts'
import type { JobQueue } from './queue.ts'
import type { JobRecord, JobRecords } from './record.ts'
import type { Secrets } from './secrets.ts'

/** A job's request as it is stored: credentials are replaced by their place among the job's secrets. */
interface StoredRequest extends Omit<PublishRequest, 'credentials'> {
  secret: number
}

export interface Submission extends Pick<JobRecord, 'kind' | 'orgName' | 'fileName' | 'batchSize' | 'force'> {
  requests: readonly PublishRequest[]
}

/** What became of a submission; `replayed`: an earlier one with the same idempotency key made the job. */
export interface Submitted {
  id: string
  replayed: boolean
}

export interface Submitting {
  store: ObjectStore
  records: JobRecords
  secrets: Secrets
  queue: JobQueue
  queuedJobsLimit: number
  secretKeys: readonly SecretKey[]
}

/**
 * Accepts a publish: request into the store, record into Redis, credentials beside it, then the id into the queue. In
 * this order whatever the queue delivers can be run, and a crash in between leaves nothing that runs half.
 * @throws nameInUse (409), keyReused (422), queueFull (503), queueAway (503), storeAway (503); nothing is left then but
 * a failed record.
 */
export async function submitJob(
  context: Submitting,
  submission: Submission,
  idempotency: Idempotency | undefined,
): Promise<Submitted> {
  const { store, records, secrets, queue } = context
  const { requests, ...job } = submission
  const id = randomUUID()
  await queued(async () => {
    if ((await queue.waiting()) >= context.queuedJobsLimit) throw errors.queueFull()
  })
  const { stored, distinct } = withoutCredentials(requests)
  await store.put(requestKey(job.orgName, id), Buffer.from(JSON.stringify(stored)))
  try {
    const created = await queued(() => records.create({ ...job, id, subRequests: requests.length, idempotency }))
    if (created.is === 'held') throw errors.nameInUse(job.orgName, job.fileName, created.holder)
    if (created.is === 'known') {
      await store.remove(requestKey(job.orgName, id)).catch(() => {})
      return { id: sameJob(context.secretKeys, created, submission), replayed: true }
    }
    await queued(async () => {
      await secrets.store(id, distinct)
      await queue.add(id)
    })
    return { id, replayed: false }
  } catch (error) {
    await abandon(context, id, job.orgName, idempotency)
    throw error
  }
}

/** Leaves nothing behind of a submission that failed; what Redis does not take now, the janitor finds. */
async function abandon(
  { records, store }: Submitting,
  id: string,
  orgName: string,
  idempotency: Idempotency | undefined,
): Promise<void> {
  const { status, code, message } = errors.queueAway()
  try {
    const isOurs = await records.finish(id, 'failed', { error: { status, code, message } })
    // The client may try again with the same key, and must not be told of this failure then.
    if (isOurs && idempotency) await records.forget(idempotency.key)
  } catch {}
  await store.remove(requestKey(orgName, id)).catch(() => {})
}

/** What Redis refuses is a queue that is away. */
async function queued<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    throw error instanceof Error && error.name === 'AppError' ? error : errors.queueAway(error)
  }
}

/** The requests of a job, put together again. @throws secretsGone, or storeAway when the request is not there. */
export async function readRequests(
  { store, secrets }: Pick<Submitting, 'store' | 'secrets'>,
  { id, orgName }: JobRecord,
): Promise<PublishRequest[]> {
  const bytes = await store.get(requestKey(orgName, id))
  if (bytes === null) throw errors.storeAway(new Error(`the request of job ${id} is not in the store`))
  const credentials = await secrets.read(id)
  if (credentials === null) throw errors.secretsGone()
  const stored = JSON.parse(bytes.toString()) as StoredRequest[]
  return stored.map(({ secret, ...request }) => ({ ...request, credentials: credentials[secret] as string }))
}

/** Hundreds of sub-requests share one origin, so each distinct secret is kept once. */
function withoutCredentials(requests: readonly PublishRequest[]): { stored: StoredRequest[]; distinct: string[] } {
  const places = new Map<string, number>()
  const stored = requests.map(({ credentials, ...request }) => {
    const secret = places.get(credentials) ?? places.size
    places.set(credentials, secret)
    return { ...request, secret }
  })
  return { stored, distinct: [...places.keys()] }
}
