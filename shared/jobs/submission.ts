import { randomUUID } from 'node:crypto'
import * as errors from '../errors/catalogue.ts'
import type { PublishRequest } from '../publish/request.ts'
import { requestKey } from '../storage/keys.ts'
import type { ObjectStore } from '../storage/object-store.ts'
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

export interface Submitting {
  store: ObjectStore
  records: JobRecords
  secrets: Secrets
  queue: JobQueue
  queuedJobsLimit: number
}

/**
 * Accepts a publish: request into the store, record into Redis, credentials beside it, then the id into the queue. In
 * this order whatever the queue delivers can be run, and a crash in between leaves nothing that runs half.
 * @returns the job's id.
 * @throws nameInUse (409), queueFull (503), queueAway (503), storeAway (503); nothing is left then but a failed record.
 */
export async function submitJob(context: Submitting, submission: Submission): Promise<string> {
  const { store, records, secrets, queue } = context
  const { requests, ...job } = submission
  const id = randomUUID()
  await queued(async () => {
    if ((await queue.waiting()) >= context.queuedJobsLimit) throw errors.queueFull()
  })
  const { stored, distinct } = withoutCredentials(requests)
  await store.put(requestKey(job.orgName, id), Buffer.from(JSON.stringify(stored)))
  try {
    const { holder } = await queued(() => records.create({ ...job, id, subRequests: requests.length }))
    if (holder !== null) throw errors.nameInUse(job.orgName, job.fileName, holder)
    await queued(async () => {
      await secrets.store(id, distinct)
      await queue.add(id)
    })
    return id
  } catch (error) {
    const { status, code, message } = errors.queueAway()
    await records.finish(id, 'failed', { error: { status, code, message } }).catch(() => {})
    await store.remove(requestKey(job.orgName, id)).catch(() => {})
    throw error
  }
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
