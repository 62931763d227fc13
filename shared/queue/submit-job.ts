import { randomUUID } from 'node:crypto'
import type { SecretKey } from '../config/lists.ts'
import * as errors from '../errors/catalogue.ts'
import type { Idempotency } from '../jobs/create-job.ts'
import { sameJob } from '../jobs/idempotency.ts'
import { type JobRecord, runsOf, type Submission } from '../jobs/job.ts'
import type { JobRecords } from '../jobs/job-records.ts'
import { askedFor, type JobOrder } from '../jobs/order.ts'
import { removeRequest } from '../jobs/stored/results.ts'
import type { Secrets } from '../jobs/stored/secrets.ts'
import { storeRequest } from '../jobs/stored/stored-request.ts'
import type { Sender } from '../observability/audit.ts'
import type { BoundModel } from '../request/bound-model.ts'
import type { MaskKey } from '../request/mask/mask-key.ts'
import { selects } from '../request/select.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { Callbacks } from './callbacks.ts'
import type { JobQueue } from './queue.ts'

/** Result of a submission; `replayed`: an earlier one with the same idempotency key created the job. */
export interface Submitted {
  id: string
  replayed: boolean
}

interface SubmitOptions {
  /** The latest generation of the packet's name: the job's own will be higher. Default: none. */
  latestBefore?: number
  /** See `JobOrder`. */
  freeAt?: number | undefined
  state?: JobOrder['state']
  /** The model that the requests are bound to. */
  model?: BoundModel | null
  /** The key that hashes masked values, if the requests ask for hashes. */
  maskKey?: Pick<MaskKey, 'id'> | null
  sender?: Sender | undefined
}

export interface SubmitContext {
  store: ObjectStore
  records: JobRecords
  secrets: Secrets
  queue: JobQueue
  callbacks: Callbacks
  openRunsLimit: number
  /** How long the packet lives; default: for ever. */
  expiresAfterDays?: number | null
  secretKeys: readonly SecretKey[]
}

const refusals = { queueFull: errors.queueFull, orgQueueFull: errors.orgQueueFull }

/**
 * Accepts a publish: stores the request, then the record and the sealed key of its credentials in Redis, then queues
 * the id. In this order every delivered id can be run, and a crash in between leaves no half-submitted job.
 * @throws nameInUse (409), keyReused (422), orgQueueFull (429), queueFull (503), queueAway (503), storeAway (503). No
 * job runs then, unless Redis could not record its end; the same idempotency key finds that job.
 */
export async function submitJob(
  context: SubmitContext,
  submission: Submission,
  idempotency: Idempotency | undefined,
  { latestBefore = 0, freeAt, state, model = null, maskKey = null, sender }: SubmitOptions = {},
): Promise<Submitted> {
  const { store, records, secrets, queue, openRunsLimit, expiresAfterDays = null } = context
  const { requests, batchSize, force, ...job } = submission
  const id = randomUUID()
  const order: JobOrder = {
    batchSize,
    force,
    expiresAfterDays,
    latestBefore,
    ...(freeAt === undefined ? {} : { freeAt }),
    bound: model !== null,
    ...(selects(requests) ? { selects: true } : {}),
    ...(state ? { state } : {}),
    ...(maskKey ? { maskKey: maskKey.id } : {}),
    callbackUrl: askedFor(requests, 'callbackUrl') ?? null,
    compression: askedFor(requests, 'compression') ?? 'none',
  }
  // The creation decides; checking first avoids storing requests that will be refused.
  await asQueueAway(async () => {
    const refused = await records.openRuns.refusal(job.orgName, openRunsLimit)
    if (refused) throw refusals[refused]()
  })
  const owner = { id, orgName: job.orgName }
  try {
    const { sealedKey } = await storeRequest(store, secrets.encrypt, owner, requests, model)
    const subRequests = requests.length
    const counted = { subRequests, runs: runsOf(subRequests, order), openRunsLimit }
    const newJob = { ...job, ...counted, id, order, sender, sealedKey, idempotency }
    const creation = await asQueueAway(() => records.create(newJob))
    if (creation.outcome === 'queueFull' || creation.outcome === 'orgQueueFull') throw refusals[creation.outcome]()
    if (creation.outcome === 'nameInUse') throw errors.nameInUse(job.orgName, job.fileName, creation.holder)
    if (creation.outcome === 'duplicate') {
      await removeRequest(store, owner).catch(() => {})
      return { id: await sameJob(context.secretKeys, creation, submission), replayed: true }
    }
    await asQueueAway(() => queue.add(owner))
    return { id, replayed: false }
  } catch (error) {
    if (await withdrawn(context, owner, order.callbackUrl !== null)) throw error
    return { id, replayed: false }
  }
}

/**
 * Withdraws a failed submission. Its request is removed only after Redis confirms that no job needs it: a record may
 * exist although Redis's answer was lost, and then the janitor queues its id.
 * @returns false when the job was started nevertheless and continues.
 */
async function withdrawn(
  { records, store, queue, callbacks }: SubmitContext,
  owner: Pick<JobRecord, 'id' | 'orgName'>,
  callsBack: boolean,
): Promise<boolean> {
  const { status, code, message } = errors.queueAway()
  // Send both concurrently: a hanging Redis then has both commands and executes them when it resumes, however late.
  const [state] = await Promise.allSettled([records.withdraw(owner.id, { status, code, message }), queue.remove(owner)])
  if (state.status === 'rejected') return true
  if (state.value !== null && state.value !== 'queued') return false
  if (state.value === 'queued' && callsBack) await callbacks.add(owner).catch(() => {}) // the janitor repeats it
  await removeRequest(store, owner).catch(() => {})
  return true
}

/** Treats every refusal by Redis as an unavailable queue. */
async function asQueueAway<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    throw error instanceof Error && error.name === 'AppError' ? error : errors.queueAway(error)
  }
}
