import { hash } from 'node:crypto'
import { signV4 } from 'minio/dist/esm/signing.mjs'
import type { StoreSettings } from '../config/config.ts'
import { listQuery } from './listing.ts'
import { probes } from './object-store.ts'

const lateMs = 20 * 60_000
const waitMs = 20_000

/**
 * Whether the store refuses a request that was signed twenty minutes before `now`, by its clock. Otherwise a manifest
 * that a network or a frozen process delivers late could be created after a sweep (docs/storage.md). The request only
 * lists probes.
 */
export async function refusesLateRequests(
  { endpoint, region, bucket, accessKey, secretKey }: StoreSettings,
  now: number,
): Promise<boolean> {
  const date = new Date(now - lateMs)
  const path = `/${bucket}?${listQuery({ prefix: probes, delimiter: '', keys: 1, after: '', token: '' })}`
  const sha256 = hash('sha256', '')
  const headers: Record<string, string> = {
    host: new URL(endpoint).host,
    'x-amz-content-sha256': sha256,
    'x-amz-date': date.toISOString().replace(/[:-]|\.\d{3}/g, ''),
  }
  const authorization = signV4({ method: 'GET', path, headers } as never, accessKey, secretKey, region, date, sha256)
  const { host: _, ...sent } = headers
  const answer = await fetch(new URL(path, endpoint), {
    headers: { ...sent, authorization },
    signal: AbortSignal.timeout(waitMs),
  })
  await answer.body?.cancel()
  return answer.status >= 400 && answer.status < 500
}
