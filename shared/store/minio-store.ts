import { createHash, randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { create as contentDisposition } from 'content-disposition'
import { Client } from 'minio'
import type { StoreSettings } from '../config/config.ts'
import * as errors from '../errors/catalogue.ts'
import { type ObserveCall, timed } from '../observability/timed.ts'
import { boundedTransport, StoreStalled } from './bounded-transport.ts'
import { type ListOptions, type ObjectStore, probeKey, type StoredObject } from './object-store.ts'
import { detectKeyRules, s3Keys } from './s3proxy.ts'
import { createStoreClock, type StoreClock } from './store-clock.ts'

const contentType = { 'Content-Type': 'application/json' }
const codeOf = (error: unknown) => (error as { code?: string }).code ?? ''
const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest('base64')
const isMissing = (error: unknown) => ['NoSuchKey', 'NotFound'].includes(codeOf(error))
const isTaken = (error: unknown) =>
  codeOf(error) === 'PreconditionFailed' || codeOf(error) === 'ConditionalRequestConflict'

const mostPageKeys = 1_000

/** Delays before each retry of an idempotent request. */
const retryDelaysMs = [100, 500]

/** Object store on any S3-compatible server, through the minio client. */
export function openMinioStore(settings: StoreSettings, observe: ObserveCall = () => {}): ObjectStore {
  const clock = createStoreClock()
  const client = timed(clientOf(settings, settings.endpoint, clock), requests, outcomeOf, observe)
  const signer = clientOf(settings, settings.publicEndpoint, clock)
  const { bucket } = settings
  // Over plain HTTP the request's signature covers the body.
  const isEncrypted = settings.endpoint.startsWith('https:')
  let keyRules = s3Keys

  async function* pages(
    prefix: string,
    delimiter: string,
    { pageKeys = mostPageKeys, startAfter = '', skipTo = () => null }: ListOptions = {},
  ): AsyncGenerator<StoredObject | { prefix: string }> {
    for (let token = '', after = startAfter, keys = pageKeys; ; ) {
      const page = await retried(() => client.listObjectsV2Query(bucket, prefix, token, delimiter, keys, after))
      for (const { name, prefix: level, size, etag = '', lastModified } of page.objects) {
        if (level !== undefined) yield { prefix: level }
        else if (name !== undefined) {
          yield { key: name, bytes: Number(size), etag, modifiedAt: new Date(lastModified ?? 0).getTime() }
        }
      }
      if (!page.isTruncated) return
      after = skipTo(page.objects.at(-1)?.name ?? '') ?? ''
      token = after === '' ? String(page.nextContinuationToken) : ''
      if (after === '') keys = Math.min(2 * keys, mostPageKeys)
    }
  }

  // Avoids `putObject`, which copies the bytes and hashes them twice.
  async function upload(key: string, bytes: Buffer, more: Record<string, string> = {}): Promise<string> {
    const headers = { ...contentType, ...more, ...(isEncrypted ? { 'Content-MD5': md5Of(bytes) } : {}) }
    const answer = await client.makeRequestAsyncOmit(
      { method: 'PUT', bucketName: bucket, objectName: key, headers },
      bytes,
    )
    return (answer.headers.etag ?? '').replaceAll('"', '')
  }

  async function create(key: string, bytes: Buffer) {
    try {
      await upload(key, bytes, { 'If-None-Match': '*' })
      return 'created'
    } catch (error) {
      return isTaken(error) ? 'exists' : 'lost'
    }
  }

  async function open(key: string): Promise<Readable | null> {
    return retried(() => client.getObject(bucket, key)).catch(nullWhenMissing)
  }

  return {
    put: (key, bytes, encoding) =>
      retried(() => upload(key, bytes, encoding === undefined ? {} : { 'Content-Encoding': encoding })),
    create,
    stream: open,
    async get(key, range) {
      const read = () =>
        range ? client.getPartialObject(bucket, key, range.from, range.bytes) : client.getObject(bucket, key)
      return retried(async () => buffer(await read())).catch(nullWhenMissing)
    },
    compareKeys: (a, b) => keyRules.compareKeys(a, b),
    finalKey: (key) => keyRules.finalKey(key),
    list: (prefix, options) => pages(prefix, '', options) as AsyncGenerator<StoredObject>,
    listLevel: (prefix, options) => pages(prefix, '/', options),
    async hasAny(prefix) {
      const page = await retried(() => client.listObjectsV2Query(bucket, prefix, '', '', 1, ''))
      return page.objects.length > 0
    },
    async copy(from, to) {
      const copied = await retried(() => client.copyObject(bucket, to, `/${bucket}/${from}`)).catch(nullWhenMissing)
      return copied !== null
    },
    async remove(key) {
      // VersityGW answers that the key is missing if another request removes it at the same moment.
      await retried(() => client.removeObject(bucket, key)).catch(nullWhenMissing)
    },
    sign: (key, lifetimeSeconds, fileName) =>
      signer.presignedGetObject(bucket, key, lifetimeSeconds, {
        'response-content-disposition': contentDisposition(fileName.split('/').at(-1) as string),
      }),
    async prepare() {
      await ensureBucket(client, settings)
      await probe(this)
      keyRules = await detectKeyRules(this)
    },
    now: clock.now,
    async ping() {
      const isThere = await retried(() => client.bucketExists(bucket))
      if (!isThere) throw errors.storeAway(new Error('the bucket is gone'))
    },
  }
}

/** The client's calls that make one request each, with their names in metrics. */
const requests = {
  makeRequestAsyncOmit: 'put',
  getObject: 'get',
  getPartialObject: 'get',
  listObjectsV2Query: 'list',
  copyObject: 'copy',
  removeObject: 'remove',
  bucketExists: 'ping',
} as const

/** A missing or taken key is a regular outcome, not a failure. */
const outcomeOf = (error: unknown) => (isMissing(error) ? 'missing' : isTaken(error) ? 'taken' : 'failed')

/** Disables the client's own retries: they would repeat a conditional create, and they write to the console. */
function clientOf(settings: StoreSettings, endpoint: string, clock: StoreClock): Client {
  const { region, accessKey, secretKey, timeoutSeconds } = settings
  const { hostname, port, protocol } = new URL(endpoint)
  return new Client({
    transport: boundedTransport(protocol, timeoutSeconds * 1_000, clock),
    endPoint: hostname,
    port: port === '' ? undefined : Number(port),
    useSSL: protocol === 'https:',
    region,
    accessKey,
    secretKey,
    pathStyle: true,
    retryOptions: { disableRetry: true },
  })
}

/** Retries an idempotent request. @throws a not-found error unchanged, any other as storeAway (503). */
async function retried<T>(request: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await request()
    } catch (error) {
      if (isMissing(error)) throw error
      // A stalled request has already cost much time, so it is retried at most once.
      if (error instanceof StoreStalled) attempt++
      const wait = retryDelaysMs[attempt]
      if (wait === undefined) throw errors.storeAway(error)
      await delay(wait)
    }
  }
}

function nullWhenMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}

async function ensureBucket(client: Client, { bucket, region }: StoreSettings) {
  if (await retried(() => client.bucketExists(bucket))) return
  await retried(async () => {
    await client.makeBucket(bucket, region).catch(async (error) => {
      // Another process may have created it concurrently.
      if (!(await client.bucketExists(bucket))) throw error
    })
  })
}

/** Verifies that the store creates an object only if absent, and reads and lists what was written. Contract 6, How. */
async function probe(store: ObjectStore) {
  const key = probeKey(randomUUID())
  const [first, second] = [Buffer.from('first'), Buffer.from('second')]
  try {
    // If the response is lost, retry once. The first request may have created the object.
    const isCreated = (await store.create(key, first)) === 'created' || (await store.create(key, first)) !== 'lost'
    if (!isCreated) throw new Error('the object store refused to create an object')
    if ((await store.create(key, second)) !== 'exists') {
      throw new Error('the object store ignores If-None-Match: *, so that packets could overwrite each other')
    }
    if (!(await store.get(key))?.equals(first)) throw new Error('the object store does not read back what was written')
    if (!(await store.hasAny(key))) throw new Error('the object store does not list what was just written')
  } finally {
    await store.remove(key)
  }
}
