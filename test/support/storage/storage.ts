import { randomUUID } from 'node:crypto'
import { Client } from 'minio'
import { inject } from 'vitest'
import { readConfig } from '../../../shared/config/config.ts'
import type { ObserveCall } from '../../../shared/observability/timed.ts'
import { type Storage, storageOn } from '../../../shared/storage/storage.ts'
import { openMinioStore } from '../../../shared/store/minio-store.ts'
import type { KeysBelowKeys } from '../../../shared/store/object-store.ts'

type StoreSettings = Parameters<typeof openMinioStore>[0]

export interface TestStorage extends Storage {
  /** The same bucket as another process sees it, which has nothing cached. */
  reopen(observe?: ObserveCall): Storage
}

/** What each server does with keys below keys, by endpoint: the probe of a start makes forty requests, too many for every bucket. */
const knownRules = new Map<string, KeysBelowKeys>()

/**
 * Storage on the S3 server under test: in a new, empty bucket, or in that of the service with these settings. It holds
 * nothing open.
 */
export async function openTestStorage(ofService?: Record<string, string>): Promise<TestStorage> {
  const { storage } = readConfig('worker', ofService ?? inject('service').env)
  const settings = ofService === undefined ? { ...storage, bucket: `test-${randomUUID()}` } : storage
  const rules = knownRules.get(settings.endpoint) ?? (await probedRules(storage))
  knownRules.set(settings.endpoint, rules)
  if (ofService === undefined) await createBucket(settings)
  const reopen = (observe?: ObserveCall) => storageOn(openMinioStore(settings, observe, rules))
  return { ...reopen(), reopen }
}

async function probedRules(settings: StoreSettings): Promise<KeysBelowKeys> {
  const store = openMinioStore(settings)
  await store.prepare()
  return store.keysBelowKeys()
}

function createBucket({ endpoint, accessKey, secretKey, region, bucket }: StoreSettings): Promise<void> {
  const { hostname, port, protocol } = new URL(endpoint)
  const client = new Client({
    endPoint: hostname,
    port: port === '' ? undefined : Number(port),
    useSSL: protocol === 'https:',
    pathStyle: true,
    region,
    accessKey,
    secretKey,
  })
  return client.makeBucket(bucket, region)
}
