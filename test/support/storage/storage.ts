import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { readConfig } from '../../../shared/config/config.ts'
import type { ObserveCall } from '../../../shared/observability/timed.ts'
import { type Storage, storageOn } from '../../../shared/storage/storage.ts'
import { openMinioStore } from '../../../shared/store/minio-store.ts'

export interface TestStorage extends Storage {
  /** The same bucket as another process sees it, which has nothing cached. */
  reopen(observe?: ObserveCall): Storage
}

/**
 * Storage on the S3 server under test: in a new, empty bucket, or in that of the service with these settings. It holds
 * nothing open.
 */
export async function openTestStorage(ofService?: Record<string, string>): Promise<TestStorage> {
  const { storage: settings } = readConfig('worker', ofService ?? inject('service').env)
  const bucket = ofService === undefined ? `test-${randomUUID()}` : settings.bucket
  const store = openMinioStore({ ...settings, bucket })
  await store.prepare()
  // Removes what the preparation has left.
  if (ofService === undefined) for await (const { key } of store.list('')) await store.remove(key)
  const { compareKeys, finalKey, keysBelowKeys } = store
  return {
    ...storageOn(store),
    reopen: (observe) =>
      storageOn({ ...openMinioStore({ ...settings, bucket }, observe), compareKeys, finalKey, keysBelowKeys }),
  }
}
