import { randomUUID } from 'node:crypto'
import type { SecretKey } from '../config/lists.ts'
import * as errors from '../errors/catalogue.ts'
import type { PublishRequest } from '../publish/request.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { allDone } from './all-done.ts'
import { type Idempotency, sameJob } from './idempotency.ts'
import type { JobQueue } from './queue.ts'
import type { JobRecord, JobRecords } from './record.ts'
import type { Secrets } from './secrets.ts'
import { removeRequest, storeRequest } from './stored-request.ts'

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
 * @param latestBefore the latest generation of the packet's name: the job's own will be above it.
 * @throws nameInUse (409), keyReused (422), queueFull (503), queueAway (503), storeAway (503); nothing is left then but
 * a failed record.
 */
export async function submitJob(
  context: Submitting,
  submission: Submission,
  idempotency: Idempotency | undefined,
  latestBefore = 0,
): Promise<Submitted> {
  const { store, records, secrets, queue } = context
  const { requests, ...job } = submission
  const id = randomUUID()
  await queued(async () => {
    if ((await queue.waiting()) >= context.queuedJobsLimit) throw errors.queueFull()
  })
  const owner = { id, orgName: job.orgName }
  try {
    const { secrets: distinct } = await storeRequest(store, owner, requests)
    const subRequests = requests.length
    const created = await queued(() => records.create({ ...job, id, subRequests, latestBefore, idempotency }))
    if (created.is === 'held') throw errors.nameInUse(job.orgName, job.fileName, created.holder)
    if (created.is === 'known') {
      await removeRequest(store, owner).catch(() => {})
      return { id: sameJob(context.secretKeys, created, submission), replayed: true }
    }
    // One connection keeps their order: no worker takes a job before its secrets are there.
    await queued(() => allDone([secrets.store(id, distinct), queue.add(id)]))
    return { id, replayed: false }
  } catch (error) {
    await abandon(context, owner, idempotency)
    throw error
  }
}

/** Leaves nothing behind of a submission that failed; what Redis does not take now, the janitor finds. */
async function abandon(
  { records, store, queue }: Submitting,
  owner: Pick<JobRecord, 'id' | 'orgName'>,
  idempotency: Idempotency | undefined,
): Promise<void> {
  const { status, code, message } = errors.queueAway()
  // At once: a Redis that hangs has them then, and does all when it wakes, however long after the answer. The client may
  // try again with the same key, and must not be told of this failure then.
  await Promise.allSettled([
    records.finish(owner.id, 'failed', { error: { status, code, message } }),
    idempotency && records.forget(idempotency.key, owner.id),
    queue.remove(owner.id),
  ])
  await removeRequest(store, owner).catch(() => {})
}

/** What Redis refuses is a queue that is away. */
async function queued<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    throw error instanceof Error && error.name === 'AppError' ? error : errors.queueAway(error)
  }
}
