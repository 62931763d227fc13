import { createHash, hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { create as contentDisposition } from 'content-disposition'
import { Client } from 'minio'
import { byCodePoint } from '../../packet/cypher/identifiers.ts'
import type { StoreSettings } from '../config/config.ts'
import * as errors from '../errors/catalogue.ts'
import { type ObserveCall, timed } from '../observability/timed.ts'
import { inBatches } from './batches.ts'
import { bodyDigest, boundedTransport } from './bounded-transport.ts'
import { refusesLateRequests } from './late-request.ts'
import { canStartAfter, type ListRequest, listQuery, parseListing, withoutDotSegments } from './listing.ts'
import type { KeysBelowKeys, ListOptions, ObjectStore, StoredObject } from './object-store.ts'
import { probeStore } from './requirements.ts'
import { createSigner, escaped, type Signer } from './signer.ts'
import { isTaken, nullWhenMissing, outcomeOf, refusalOf, retried, storeError } from './store-answers.ts'
import { createStoreClock, type StoreClock } from './store-clock.ts'

const contentType = { 'Content-Type': 'application/json' }
const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest('base64')

const mostPageKeys = 1_000
/** Keys that S3 removes in one request. */
const mostRemoved = 1_000

const references: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const inXml = (text: string) => text.replace(/[&<>]/g, (character) => references[character] as string)

/**
 * Object store on any S3-compatible server, through the minio client.
 * @param known what becomes of a key below another key on this server, if an earlier probe has found it
 */
export function openMinioStore(
  settings: StoreSettings,
  observe: ObserveCall = () => {},
  known: KeysBelowKeys = 'hidden',
): ObjectStore {
  const clock = createStoreClock()
  const signer = createSigner(settings)
  let publicAddress: Promise<URL> | undefined
  const plainClient = clientOf(settings, clock, signer)
  const client = timed(plainClient, requests, outcomeOf, observe)
  const { bucket } = settings
  const { list } = timed({ list: listPage }, { list: 'list' }, outcomeOf, observe)
  const { removeTogether } = timed({ removeTogether: removeKeys }, { removeTogether: 'remove' }, outcomeOf, observe)
  // Over plain HTTP the signature covers the body, over TLS it does not.
  const isEncrypted = settings.endpoint.startsWith('https:')
  let keysBelowKeys = known

  async function listPage(request: ListRequest) {
    const query = listQuery(request)
    return parseListing(await text(await plainClient.makeRequestAsync({ method: 'GET', bucketName: bucket, query })))
  }

  async function* pages(
    prefix: string,
    delimiter: string,
    { pageKeys = mostPageKeys, startAfter = '', skipTo = () => null }: ListOptions = {},
  ): AsyncGenerator<StoredObject | { prefix: string }> {
    let after = withoutDotSegments(startAfter)
    const isCut = after !== startAfter
    const isWanted = ({ key }: StoredObject) =>
      // MinIO lists `d/f` below `d/f/`. It alone needs a start that is cut, and it lists by code point.
      key.startsWith(prefix) && !(isCut && byCodePoint(key, startAfter) <= 0)
    for (let token = '', keys = pageKeys; ; ) {
      const page = await retried(() => list({ prefix, delimiter, keys, after, token }))
      yield* page.objects.filter(isWanted)
      for (const level of page.levels) yield { prefix: level }
      if (!page.isTruncated) return
      const last = page.objects.at(-1)?.key ?? ''
      const further = skipTo(last)
      if (further === null) keys = Math.min(2 * keys, mostPageKeys)
      const start = { token, after }
      // The token of SeaweedFS starts before the page's last key, so it is only for listings of levels.
      if (further !== null || (delimiter === '' && last !== '' && canStartAfter(last))) {
        const wanted = further ?? last
        const next = withoutDotSegments(wanted)
        // A start that is cut must not lead back.
        ;[token, after] = ['', next === wanted || byCodePoint(next, last) > 0 ? next : last]
      } else [token, after] = [page.token, '']
      if (start.token === token && start.after === after) throw errors.storeAway(new Error('a listing repeats a page'))
    }
  }

  // Avoids `putObject`, which copies the bytes and hashes them twice.
  async function upload(key: string, bytes: Buffer, more: Record<string, string> = {}): Promise<string> {
    const digest = isEncrypted ? { 'Content-MD5': md5Of(bytes) } : { [bodyDigest]: hash('sha256', bytes) }
    const headers = { ...contentType, ...more, ...digest }
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
      if (isTaken(error)) return 'exists'
      if (refusalOf(error) !== null) throw storeError(error)
      return 'lost'
    }
  }

  /** Says so if the store has refused a key because it keeps no key below another. */
  async function unlessBlocked<T>(key: string, request: Promise<T>): Promise<T> {
    return request.catch(async (error) => {
      if (keysBelowKeys !== 'refused') throw error
      const blocking = await blockingKey(key).catch(() => null)
      throw blocking === null ? error : errors.nameBlocked(blocking, error)
    })
  }

  /** null if the key cannot exist, because it is below an object: S3Proxy then fails to read and to remove it. */
  const nullWhenBlocked = (key: string) => async (error: unknown) => {
    const blocking = keysBelowKeys === 'refused' ? await blockingKey(key).catch(() => null) : null
    if (blocking === null || blocking.endsWith('/')) throw error
    return null
  }

  /** A key that is above this one, or `key/` if there are keys below it. */
  async function blockingKey(key: string): Promise<string | null> {
    for (const { index } of key.matchAll(/\//g)) {
      const above = key.slice(0, index)
      if ((await firstBelow(above))?.key === above) return above
    }
    return (await firstBelow(`${key}/`)) === undefined ? null : `${key}/`
  }

  async function remove(key: string): Promise<void> {
    // VersityGW answers that the key is missing if another request removes it at the same moment.
    await retried(() => client.removeObject(bucket, key))
      .catch(nullWhenMissing)
      .catch(nullWhenBlocked(key))
  }

  /** @returns whether the store has removed all: it may lack this request, or refuse some of the keys. */
  async function removeKeys({ keys }: { keys: readonly string[] }): Promise<boolean> {
    const objects = keys.map((key) => `<Object><Key>${inXml(key)}</Key></Object>`)
    const body = Buffer.from(`<Delete><Quiet>true</Quiet>${objects.join('')}</Delete>`)
    const headers = { 'Content-MD5': md5Of(body), ...(isEncrypted ? {} : { [bodyDigest]: hash('sha256', body) }) }
    const request = { method: 'POST', bucketName: bucket, query: 'delete', headers }
    const result = await text(await plainClient.makeRequestAsync(request, body))
    return result.includes('<DeleteResult') && !result.includes('<Error>')
  }

  async function open(key: string): Promise<Readable | null> {
    return retried(() => client.getObject(bucket, key))
      .catch(nullWhenMissing)
      .catch(nullWhenBlocked(key))
  }

  // MinIO finds the key itself only if the page has one key, should the key be below another.
  async function firstBelow(prefix: string): Promise<StoredObject | undefined> {
    const page = await retried(() => list({ prefix, delimiter: '', keys: 1, after: '', token: '' }))
    return page.objects.find(({ key }) => key.startsWith(prefix))
  }

  return {
    put: (key, bytes, encoding) =>
      unlessBlocked(
        key,
        retried(() => upload(key, bytes, encoding === undefined ? {} : { 'Content-Encoding': encoding })),
      ),
    create,
    stream: open,
    async get(key, range) {
      const read = () =>
        range ? client.getPartialObject(bucket, key, range.from, range.bytes) : client.getObject(bucket, key)
      return retried(async () => buffer(await read()))
        .catch(nullWhenMissing)
        .catch(nullWhenBlocked(key))
    },
    keysBelowKeys: () => keysBelowKeys,
    list: (prefix, options) => pages(prefix, '', options) as AsyncGenerator<StoredObject>,
    listLevel: (prefix, options) => pages(prefix, '/', options),
    async hasAny(prefix) {
      return (await firstBelow(prefix)) !== undefined
    },
    async find(key) {
      const found = await firstBelow(key)
      return found?.key === key ? found : null
    },
    async copy(from, to) {
      const copying = retried(() => client.copyObject(bucket, to, `/${bucket}/${from}`)).catch(nullWhenMissing)
      const copied = await unlessBlocked(to, copying)
      return copied !== null
    },
    remove,
    async removeMany(keys) {
      for (let from = 0; from < keys.length; from += mostRemoved) {
        const some = keys.slice(from, from + mostRemoved)
        const isDone = some.length > 1 && (await removeTogether({ keys: some }).catch(() => false))
        if (!isDone) await inBatches(some, remove)
      }
    },
    async sign(key, lifetimeSeconds, fileName) {
      const disposition = contentDisposition(fileName.split('/').at(-1) as string)
      publicAddress ??= publicAddressOf(settings)
      const { origin, host, pathname } = await publicAddress
      const path = `${pathname}${key.split('/').map(escaped).join('/')}`
      return signer.link({ origin, host }, path, { 'response-content-disposition': disposition }, lifetimeSeconds)
    },
    async probe() {
      await ensureBucket(client, settings, isEncrypted)
      const probed = await probeStore(this)
      keysBelowKeys = probed.keysBelowKeys
      const isStrict = await refusesLateRequests(settings, clock.now())
      const problem = isStrict ? null : 'accepts a request that was signed twenty minutes ago'
      return [...probed.outcomes, { holds: 'refuses a request that was signed twenty minutes ago', problem }]
    },
    async prepare() {
      const problems = (await this.probe()).flatMap(({ problem }) => problem ?? [])
      if (problems.length > 0) throw new Error(`the object store ${problems.join('; it ')}`)
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
  copyObject: 'copy',
  removeObject: 'remove',
  bucketExists: 'ping',
} as const

/** Disables the client's own retries: they would repeat a conditional create, and they write to the console. */
function clientOf(settings: StoreSettings, clock: StoreClock, signer: Signer): Client {
  const { protocol } = new URL(settings.endpoint)
  return new Client({
    ...serverAt(settings.endpoint, settings.region),
    transport: boundedTransport(protocol, settings.timeoutSeconds * 1_000, clock, signer),
    retryOptions: { disableRetry: true },
  })
}

/** Where links find the bucket, with a `/` at its end. The client knows which endpoints of AWS it must rewrite. */
async function publicAddressOf({ publicEndpoint, region, accessKey, secretKey, bucket }: StoreSettings): Promise<URL> {
  const client = new Client({ ...serverAt(publicEndpoint, region), accessKey, secretKey })
  return new URL('.', await client.presignedGetObject(bucket, 'key', 1))
}

function serverAt(endpoint: string, region: string) {
  const { hostname, port, protocol } = new URL(endpoint)
  return {
    endPoint: hostname,
    port: port === '' ? undefined : Number(port),
    useSSL: protocol === 'https:',
    region,
    pathStyle: true,
  }
}

/** The region in which AWS makes a bucket unless the request names another one. */
const usualRegion = 'us-east-1'

async function ensureBucket(client: Client, { bucket, region }: StoreSettings, isEncrypted: boolean) {
  if (await retried(() => client.bucketExists(bucket))) return
  const body =
    region === usualRegion
      ? ''
      : `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`
  const headers = isEncrypted ? {} : { [bodyDigest]: hash('sha256', body) }
  await retried(async () => {
    await client.makeRequestAsyncOmit({ method: 'PUT', bucketName: bucket, headers }, body).catch(async (error) => {
      // Another process may have created it concurrently.
      if (!(await client.bucketExists(bucket))) throw error
    })
  })
}
