import type { Redis } from 'ioredis'
import type { Sender } from '../observability/audit.ts'
import { jobListsOf } from '../redis/keys.ts'
import { requireReplicas } from '../redis/replicas.ts'
import { hashOf, type JobCallback, type JobRecord, progressOf } from './job.ts'
import { type Refusal, tenantOf } from './open-runs.ts'
import * as scripts from './scripts.ts'
import { jobVersion } from './version.ts'

export type NewJob = Pick<JobRecord, 'id' | 'kind' | 'orgName' | 'fileName' | 'order'> & {
  subRequests: number
  sender?: Sender | undefined
  /** Key digest and request fingerprint of an `Idempotency-Key`. Contract 7. */
  idempotency?: Idempotency | undefined
  /** The sealed data key of the job's credentials; absent: the job has none. */
  sealedKey?: string
  /** Number of runs the job takes; default 1. */
  runs?: number
  /** Number of open runs at which no further job is created. */
  openRunsLimit?: number
}

/**
 * Result of a creation: `duplicate`: a job with the same idempotency key exists; `nameInUse`: the unfinished job
 * `holder` writes a packet of that name.
 */
export type Creation =
  | { outcome: 'created' }
  | ({ outcome: 'duplicate' } & EarlierJob)
  | { outcome: 'nameInUse'; holder: string }
  | { outcome: Refusal }

/** How a submission with an `Idempotency-Key` is remembered. Contract 7. */
export interface Idempotency {
  /** Digest of the client's name and its key. */
  key: string
  /** Detects a different request under the same key. An HMAC, because the request contains a password. */
  fingerprint: string
}

/** A job created with an idempotency key, and the fingerprint of its request. */
export interface EarlierJob {
  id: string
  fingerprint: string
}

/** The callback of a job that has not called back yet. */
export const callbackDue: JobCallback = {
  state: 'due',
  attempts: 0,
  lastStatus: null,
  lastFailure: null,
  lastAttemptAt: null,
  nextAttemptAt: null,
  host: null,
}

/** See `JobRecords.create`. */
export async function createJob(redis: Redis, newJob: NewJob): Promise<Creation> {
  const { subRequests, sender, idempotency, sealedKey = '', runs = 1, openRunsLimit, ...job } = newJob
  const createdAt = new Date().toISOString()
  const record = {
    ...job,
    ...sender,
    ...(job.order.callbackUrl === null ? {} : { callback: callbackDue }),
    version: jobVersion,
    state: 'queued',
    createdAt,
    attempt: 0,
    progress: progressOf('queued', subRequests),
  }
  const values = {
    id: job.id,
    name: `${job.orgName}/${job.fileName}`,
    tenant: tenantOf(job.orgName),
    runs,
    lists: JSON.stringify(jobListsOf(job.orgName)),
    force: job.order.force ? 'force' : '',
    sealedKey,
    key: idempotency?.key ?? '',
    fingerprint: idempotency?.fingerprint ?? '',
    createdAt: Date.parse(createdAt),
    limit: openRunsLimit ?? Number.MAX_SAFE_INTEGER,
  }
  const created = await scripts.create<string>(redis, values, ...hashOf(record))
  const [outcome, id = '', earlier = ''] = created.split(' ')
  if (outcome === 'queueFull' || outcome === 'orgQueueFull') return { outcome }
  if (outcome === 'nameInUse') return { outcome, holder: id }
  // The janitor queues a job whose record survives, so the record is enough. A duplicate is a promise, too.
  await requireReplicas(redis)
  return outcome === 'duplicate' ? { outcome, id, fingerprint: earlier } : { outcome: 'created' }
}

/** See `JobRecords.findByIdempotencyKey`. */
export async function findEarlierJob(redis: Redis, key: string): Promise<EarlierJob | null> {
  const [id = '', fingerprint] = (await scripts.known<string>(redis, { key })).split(' ')
  if (fingerprint === undefined) return null
  // The answer promises this job again. The request that created it may have failed because a replica lacks it.
  await requireReplicas(redis)
  return { id, fingerprint }
}
