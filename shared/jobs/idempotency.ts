import { createHash, createHmac } from 'node:crypto'
import type { SecretKey } from '../config/lists.ts'
import * as errors from '../errors/catalogue.ts'
import type { EarlierJob, Idempotency } from './create-job.ts'
import type { JobRecords } from './job-records.ts'
import type { Submission } from './submission.ts'

/** Accepts 1 to 255 visible ASCII characters; null without the header. @throws invalidRequest (400) */
export function parseIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw errors.invalidRequest([{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }])
}

export function idempotencyOf(
  keys: readonly SecretKey[],
  client: string,
  key: string,
  submission: Submission,
): Idempotency {
  return {
    key: createHash('sha256')
      .update(JSON.stringify([client, key]))
      .digest('base64url'),
    fingerprint: fingerprintOf(keys[0] as SecretKey, submission),
  }
}

/**
 * The job created by an earlier request with the same key; null if there was none.
 * @throws keyReused (422) when the earlier request differed.
 */
export async function replayedJob(
  keys: readonly SecretKey[],
  records: JobRecords,
  { key }: Idempotency,
  submission: Submission,
): Promise<string | null> {
  const earlier = await records.findByIdempotencyKey(key)
  return earlier && sameJob(keys, earlier, submission)
}

/** @throws keyReused (422) */
export function sameJob(keys: readonly SecretKey[], { id, fingerprint }: EarlierJob, submission: Submission): string {
  const keyId = fingerprint.split('.')[0]
  const key = keys.find((candidate) => candidate.id === keyId)
  if (key && fingerprintOf(key, submission) === fingerprint) return id
  throw errors.keyReused()
}

function fingerprintOf({ id, key }: SecretKey, submission: Submission): string {
  return `${id}.${createHmac('sha256', key).update(canonical(submission)).digest('base64url')}`
}

/** JSON with sorted keys, because clients may send them in any order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, field) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  )
