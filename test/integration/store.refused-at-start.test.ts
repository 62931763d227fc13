import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { openMinioStore } from '../../shared/storage/minio-store.ts'

interface Faults {
  ignoresCondition?: boolean
  readsStale?: boolean
  listsNothing?: boolean
  refusesCreate?: boolean
}

let server: Server
afterEach(() => {
  server.close()
})

/** Just enough of S3 for the probe at start, without what `faults` takes away. No signature is checked. */
async function storeWith(faults: Faults) {
  const objects = new Map<string, Buffer>()
  const listed = (key: string) => `<Contents><Key>${key}</Key><Size>1</Size><ETag>"e"</ETag></Contents>`
  server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://store')
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/'))
    const fail = (status: number, code: string) => response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
    if (request.method === 'PUT') {
      const bytes = await buffer(request)
      if (faults.refusesCreate) return fail(403, 'AccessDenied')
      const isConditional = request.headers['if-none-match'] === '*' && !faults.ignoresCondition
      if (isConditional && objects.has(key)) return fail(412, 'PreconditionFailed')
      objects.set(key, faults.readsStale ? Buffer.from('old') : bytes)
      return response.setHeader('ETag', '"e"').end()
    }
    if (request.method === 'DELETE') {
      objects.delete(key)
      return response.writeHead(204).end()
    }
    if (searchParams.has('list-type')) {
      const found = faults.listsNothing ? [] : [...objects.keys()].map(listed)
      return response.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${found.join('')}</ListBucketResult>`)
    }
    const bytes = objects.get(key)
    if (key !== '' && !bytes) return fail(404, 'NoSuchKey')
    const headers = { ETag: '"e"', 'Last-Modified': new Date(0).toUTCString(), 'Content-Length': bytes?.length ?? 0 }
    return response.writeHead(200, headers).end(bytes)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const settings = { endpoint, publicEndpoint: endpoint, region: 'us-east-1', bucket: 'bucket' }
  return { store: openMinioStore({ ...settings, accessKey: 'key', secretKey: 'secret' }), objects }
}

test('a store that does what publication rests on is taken, and the probe leaves nothing behind', async () => {
  const { store, objects } = await storeWith({})
  await store.prepare()
  expect([...objects]).toEqual([])
})

test.each<[string, Faults, RegExp]>([
  ['ignores the condition', { ignoresCondition: true }, /ignores If-None-Match/],
  ['reads back something else', { readsStale: true }, /does not read back what was written/],
  ['does not list what was written', { listsNothing: true }, /does not list what was just written/],
  ['lets nothing be created', { refusesCreate: true }, /refused to create an object/],
])('a store that %s is refused at start', async (_name, faults, message) => {
  const { store } = await storeWith(faults)
  await expect(store.prepare()).rejects.toThrow(message)
})
