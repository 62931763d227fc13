import { randomUUID } from 'node:crypto'
import type { SecretKey } from '../config/lists.ts'
import * as errors from '../errors/catalogue.ts'
import type { PublishRequest } from '../publish/request/fields.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import { type Idempotency, sameJob } from './idempotency.ts'
import type { JobQueue } from './queue.ts'
import type { JobRecord, JobRecords } from './record.ts'
import type { Secrets } from './secrets.ts'
import { removeRequest, runsOf, storeRequest } from './stored-request.ts'

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
  openRunsLimit: number
  secretKeys: readonly SecretKey[]
}

/**
 * Accepts a publish: request into the store, record and key of its credentials into Redis, then the id into the queue.
 * In this order whatever the queue delivers can be run, and a crash in between leaves nothing that runs half.
 * @param latestBefore the latest generation of the packet's name: the job's own will be above it.
 * @throws nameInUse (409), keyReused (422), queueFull (503), queueAway (503), storeAway (503); no job runs then but one
 * whose end Redis could not be told of, which the same idempotency key finds.
 */
export async function submitJob(
  context: Submitting,
  submission: Submission,
  idempotency: Idempotency | undefined,
  latestBefore = 0,
): Promise<Submitted> {
  const { store, records, secrets, queue, openRunsLimit } = context
  const { requests, ...job } = submission
  const id = randomUUID()
  // Creation decides; looked at before, what is refused is not stored first.
  await queued(async () => {
    if ((await records.openRuns()) >= openRunsLimit) throw errors.queueFull()
  })
  const owner = { id, orgName: job.orgName }
  try {
    const { sealedKey } = await storeRequest(store, secrets.encrypt, owner, requests)
    const subRequests = requests.length
    const runs = runsOf(subRequests)
    const newJob = { ...job, id, subRequests, runs, latestBefore, sealedKey, idempotency, openRunsLimit }
    const created = await queued(() => records.create(newJob))
    if (created.is === 'full') throw errors.queueFull()
    if (created.is === 'held') throw errors.nameInUse(job.orgName, job.fileName, created.holder)
    if (created.is === 'known') {
      await removeRequest(store, owner).catch(() => {})
      return { id: sameJob(context.secretKeys, created, submission), replayed: true }
    }
    await queued(() => queue.add(owner))
    return { id, replayed: false }
  } catch (error) {
    if (await withdrawn(context, owner)) throw error
    return { id, replayed: false }
  }
}

/**
 * Takes back a submission that failed. Its request goes only when Redis has answered that no job will need it: a record
 * may have been made although no answer came, and then the janitor adds its id to the queue.
 * @returns false when the job has been begun all the same, and goes on.
 */
async function withdrawn(
  { records, store, queue }: Submitting,
  owner: Pick<JobRecord, 'id' | 'orgName'>,
): Promise<boolean> {
  const { status, code, message } = errors.queueAway()
  // At once: a Redis that hangs has both then, and does them when it wakes, however long after the answer.
  const [state] = await Promise.allSettled([records.withdraw(owner.id, { status, code, message }), queue.remove(owner)])
  if (state.status === 'rejected') return true
  if (state.value !== null && state.value !== 'queued') return false
  await removeRequest(store, owner).catch(() => {})
  return true
}

/** What Redis refuses is a queue that is away. */
async function queued<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    throw error instanceof Error && error.name === 'AppError' ? error : errors.queueAway(error)
  }
}
