import { hash } from 'node:crypto'
import type { StoreSettings } from '../config/config.ts'
import { listQuery } from './listing.ts'
import { probes } from './object-store.ts'
import { createSigner } from './signer.ts'

const lateMs = 20 * 60_000
const waitMs = 20_000

/**
 * Whether the store refuses a request that was signed twenty minutes before `now`, by its clock. Otherwise a manifest
 * that a network or a frozen process delivers late could be created after a sweep (docs/storage.md). The request only
 * lists probes.
 */
export async function refusesLateRequests(settings: StoreSettings, now: number): Promise<boolean> {
  const { endpoint, bucket } = settings
  const path = `/${bucket}?${listQuery({ prefix: probes, delimiter: '', keys: 1, after: '', token: '' })}`
  const request = { method: 'GET', path, headers: { host: new URL(endpoint).host } }
  const { host: _, ...headers } = createSigner(settings).sign(request, hash('sha256', ''), new Date(now - lateMs))
  const answer = await fetch(new URL(path, endpoint), { headers, signal: AbortSignal.timeout(waitMs) })
  await answer.body?.cancel()
  return answer.status >= 400 && answer.status < 500
}
