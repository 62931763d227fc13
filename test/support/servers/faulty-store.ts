import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface StoreFaults {
  ignoresCondition?: boolean
  readsStale?: boolean
  listsNothing?: boolean
  refusesCreate?: boolean
  /** How far its clock lags. */
  lateSeconds?: number
}

/**
 * Implements just enough of S3 for the start-up probe, with the given faults; stopped when the test finishes. It checks
 * no signatures. `settings` are the environment variables that point to it.
 */
export async function startFaultyStore(faults: StoreFaults) {
  const objects = new Map<string, Buffer>()
  const modified = new Date(Date.now() - (faults.lateSeconds ?? 0) * 1_000).toISOString()
  const listed = (key: string) =>
    `<Contents><Key>${key}</Key><LastModified>${modified}</LastModified><Size>1</Size><ETag>"e"</ETag></Contents>`
  const server = createServer(async (request, response) => {
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
  onTestFinished(() => {
    server.close().closeAllConnections()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { endpoint, objects, settings: { S3_ENDPOINT: endpoint, S3_PUBLIC_ENDPOINT: endpoint } }
}
