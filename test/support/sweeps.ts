import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { readConfig } from '../../shared/config/config.ts'
import type { ObserveCall } from '../../shared/observability/timed.ts'
import { openMinioStore } from '../../shared/storage/minio-store.ts'
import { type Storage, storageOn } from '../../shared/storage/storage.ts'
import { type SweepRules, sweepStorage } from '../../shared/storage/sweep.ts'

export const hour = 3_600_000

/** A sweep covers the whole bucket, so each test gets its own. */
export async function emptyBucket(observe?: ObserveCall): Promise<Storage> {
  const { storage: settings } = readConfig('worker', inject('service').env)
  const store = openMinioStore({ ...settings, bucket: `sweep-${randomUUID()}` }, observe)
  await store.prepare()
  for await (const { key } of store.list('')) await store.remove(key)
  return storageOn(store)
}

/** Sweeps as if an hour had passed; by default every grace period is zero and no job is alive. */
export const sweep = (storage: Storage, rules: Partial<SweepRules> = {}) =>
  sweepStorage(storage, {
    now: Date.now() + hour,
    supersededMs: 0,
    orphanedMs: 0,
    isAlive: async () => false,
    repairView: async () => {},
    signal: new AbortController().signal,
    ...rules,
  })

export const nothing = { generations: 0, parts: 0, requests: 0, probes: 0 }
