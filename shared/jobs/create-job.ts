import type { Redis } from 'ioredis'
import type { Sender } from '../observability/audit.ts'
import type { Refusal } from './open-runs.ts'
import type { JobCallback, JobRecord } from './record.ts'
import { hashOf, progressOf } from './record-hash.ts'
import { claimKey, idempotencyKey, jobListsOf, openJobsKey, openRunsKey, recordKey, secretKeyOf } from './redis-keys.ts'
import { requireReplicas } from './replicas.ts'
import { tenantOf } from './tenant.ts'
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

const idempotencySeconds = 24 * 3_600
/** Longer than any record lives: days in a full queue, hours of work, then a week of retention. */
const listedSeconds = 30 * 24 * 3_600

/** The callback of a job that has not called back yet. */
export const callbackDue: JobCallback = { state: 'due', attempts: 0, lastStatus: null }

/** See `JobRecords.create`. */
export async function createJob(redis: Redis, newJob: NewJob): Promise<Creation> {
  const { subRequests, sender, idempotency, sealedKey = '', runs = 1, openRunsLimit, ...job } = newJob
  const createdAt = new Date().toISOString()
  const record = {
    ...job,
    ...sender,
    ...(job.order.callbackUrl === null ? {} : { callback: callbackDue }),
    ...{ version: jobVersion, state: 'queued', createdAt, attempt: 0, progress: progressOf('queued', subRequests) },
  }
  const keys = [
    recordKey(job.id),
    claimKey(`${job.orgName}/${job.fileName}`),
    idempotencyKey(idempotency?.key ?? ''),
    openJobsKey,
    openRunsKey,
    secretKeyOf(job.id),
    ...jobListsOf(job.orgName),
  ]
  const { fingerprint = '' } = idempotency ?? {}
  const values = [job.id, job.order.force ? 'force' : '', recordKey(''), String(Date.parse(createdAt)), fingerprint]
  const kept = [idempotencySeconds, listedSeconds, sealedKey].map(String)
  const counted = [runs, openRunsLimit ?? Number.MAX_SAFE_INTEGER, tenantOf(job.orgName)].map(String)
  const all = [...keys, ...values, ...kept, ...counted, ...hashOf(record)]
  const [outcome, id = '', earlier = ''] = (await redis.jobCreate(keys.length, ...all)).split(' ')
  if (outcome === 'queueFull' || outcome === 'orgQueueFull') return { outcome }
  if (outcome === 'nameInUse') return { outcome, holder: id }
  // The janitor queues a job whose record survives, so the record is enough. A duplicate is a promise, too.
  await requireReplicas(redis)
  return outcome === 'duplicate' ? { outcome, id, fingerprint: earlier } : { outcome: 'created' }
}

/** See `JobRecords.findByIdempotencyKey`. */
export async function findEarlierJob(redis: Redis, key: string): Promise<EarlierJob | null> {
  const [id = '', fingerprint] = (await redis.jobKnown(idempotencyKey(key), recordKey(''))).split(' ')
  if (fingerprint === undefined) return null
  // The answer promises this job again. The request that created it may have failed because a replica lacks it.
  await requireReplicas(redis)
  return { id, fingerprint }
}
