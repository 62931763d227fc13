import { createHash, createHmac } from 'node:crypto'
import type { SecretKey } from '../config/lists.ts'
import * as errors from '../errors/catalogue.ts'
import { inTurns, type Steps } from '../lifecycle/turns.ts'
import type { EarlierJob, Idempotency } from './create-job.ts'
import type { Submission } from './job.ts'
import type { JobRecords } from './job-records.ts'

/** Accepts 1 to 255 visible ASCII characters; null without the header. @throws invalidRequest (400) */
export function parseIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw errors.invalidRequest([{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }])
}

export async function idempotencyOf(
  keys: readonly SecretKey[],
  client: string,
  key: string,
  submission: Submission,
): Promise<Idempotency> {
  return {
    key: createHash('sha256')
      .update(JSON.stringify([client, key]))
      .digest('base64url'),
    fingerprint: await fingerprintOf(keys[0] as SecretKey, submission),
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
export async function sameJob(
  keys: readonly SecretKey[],
  { id, fingerprint }: EarlierJob,
  submission: Submission,
): Promise<string> {
  const keyId = fingerprint.split('.')[0]
  const key = keys.find((candidate) => candidate.id === keyId)
  if (key && (await fingerprintOf(key, submission)) === fingerprint) return id
  throw errors.keyReused()
}

const fingerprintOf = (key: SecretKey, submission: Submission): Promise<string> =>
  inTurns(fingerprintSteps(key, submission))

/** Hashes the canonical text of a submission, which may have tens of megabytes. Each step hashes one sub-request. */
function* fingerprintSteps({ id, key }: SecretKey, submission: Submission): Steps<string> {
  const hmac = createHmac('sha256', key)
  let separator = '{'
  for (const [field, value] of sortedEntries(submission)) {
    if (value === undefined) continue
    hmac.update(`${separator}${JSON.stringify(field)}:`)
    separator = ','
    if (field !== 'requests') {
      hmac.update(canonical(value))
      continue
    }
    for (const [index, request] of submission.requests.entries())
      yield hmac.update((index === 0 ? '[' : ',') + canonical(request))
    hmac.update(submission.requests.length === 0 ? '[]' : ']')
  }
  return `${id}.${hmac.update('}').digest('base64url')}`
}

const sortedEntries = (fields: object) => Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))

/** JSON with sorted keys, because clients may send them in any order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, field) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(sortedEntries(field))
      : field,
  )
