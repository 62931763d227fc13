import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { StoredObject } from '../../../shared/store/object-store.ts'
import { isOfOneKey, keysListed, refusesDotSegments } from '../faults/minio-dialect.ts'
import type { MemoryStore } from '../storage/memory-store.ts'
import { isLate } from './late.ts'

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/**
 * Serves a store in memory over the S3 protocol, as far as the service uses it, for tests with more objects than a real
 * server can be filled with in reasonable time, or with keys below keys, which the test server does not store. Of
 * signatures it checks only the time, and it knows no levels. Each request takes `delayMs`. `isMinio`: it lists as MinIO does. `settings` are the
 * environment variables that point to it.
 */
export async function serveMemoryStore(store: MemoryStore, delayMs = 0, { isMinio = false } = {}) {
  /** Everything below a prefix, as MinIO lists it. */
  async function listedByMinio(path: string, prefix: string, startAfter: string): Promise<StoredObject[]> {
    const found = new Map<string, StoredObject>()
    for await (const object of store.list('')) found.set(object.key, object)
    const below = [...found.keys()].filter((key) => key.startsWith(prefix))
    const keys = isOfOneKey(path) && found.has(prefix) ? [prefix] : keysListed(below, prefix, (key) => found.has(key))
    return keys.filter((key) => key > startAfter).map((key) => found.get(key) as StoredObject)
  }

  async function listing(path: string, query: URLSearchParams): Promise<string> {
    const [prefix, pageKeys] = [query.get('prefix') ?? '', Number(query.get('max-keys') ?? 1_000)]
    const startAfter = query.get('continuation-token') || query.get('start-after') || ''
    const objects = []
    const found = isMinio
      ? await listedByMinio(path, prefix, startAfter)
      : store.list(prefix, { pageKeys: pageKeys + 1, startAfter })
    for await (const object of found) {
      if (objects.push(object) > pageKeys) break
    }
    const next = objects.length > pageKeys ? objects.slice(0, pageKeys).at(-1)?.key : undefined
    const contents = objects.slice(0, pageKeys).map(({ key, bytes, etag, modifiedAt }) => {
      const modified = new Date(modifiedAt).toISOString()
      return `<Contents><Key>${escaped(key)}</Key><LastModified>${modified}</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${bytes}</Size><StorageClass>STANDARD</StorageClass></Contents>`
    })
    const token = next === undefined ? '' : `<NextContinuationToken>${escaped(next)}</NextContinuationToken>`
    return `<ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${token}${contents.join('')}</ListBucketResult>`
  }

  async function answer(request: IncomingMessage): Promise<{ status: number; body?: string | Buffer; etag?: string }> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://store')
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/'))
    if (isLate(request)) return { status: 403, body: '<Error><Code>RequestTimeTooSkewed</Code></Error>' }
    const source = request.headers['x-amz-copy-source']
    if (request.method === 'PUT' && typeof source === 'string') {
      const isCopied = await store.copy(decodeURIComponent(source).replace(/^\/?[^/]+\//, ''), key)
      const modified = new Date().toISOString()
      const result = `<CopyObjectResult><LastModified>${modified}</LastModified><ETag>"e"</ETag></CopyObjectResult>`
      return isCopied ? { status: 200, body: result } : { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' }
    }
    if (request.method === 'PUT') {
      const bytes = await buffer(request)
      const isConditional = request.headers['if-none-match'] === '*'
      if (isConditional && (await store.create(key, bytes)) !== 'created') {
        return { status: 412, body: '<Error><Code>PreconditionFailed</Code></Error>' }
      }
      return { status: 200, etag: isConditional ? '' : await store.put(key, bytes) }
    }
    if (request.method === 'DELETE') {
      await store.remove(key)
      return { status: 204 }
    }
    const refusal = isMinio ? refusesDotSegments({ method: request.method ?? '', path: request.url ?? '' }) : null
    if (refusal !== null) return { status: 400, body: '<Error><Code>XMinioInvalidResourceName</Code></Error>' }
    if (searchParams.has('list-type')) return { status: 200, body: await listing(request.url ?? '', searchParams) }
    if (key === '') return { status: 200 }
    const bytes = await store.get(key)
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    if (bytes && from) return { status: 206, body: bytes.subarray(Number(from), to ? Number(to) + 1 : undefined) }
    return bytes ? { status: 200, body: bytes } : { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' }
  }

  const server = createServer(async (request, response) => {
    if (delayMs > 0) await delay(delayMs)
    const { status, body = '', etag = 'e' } = await answer(request)
    const headers = {
      ETag: `"${etag}"`,
      'Last-Modified': new Date(0).toUTCString(),
      'Content-Length': Buffer.byteLength(body),
    }
    response.writeHead(status, headers).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    settings: { S3_ENDPOINT: endpoint, S3_PUBLIC_ENDPOINT: endpoint },
    close(): void {
      server.close().closeAllConnections()
    },
  }
}
