import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { byCodePoint } from '../../../packet/cypher/identifiers.ts'
import { isLate } from './late.ts'

export interface StoreFaults {
  ignoresCondition?: boolean
  /** Checks the condition some time before it writes. */
  checksEarly?: boolean
  readsStale?: boolean
  listsNothing?: boolean
  refusesCreate?: boolean
  /** Lists keys as they are, although it says that they are URL-encoded. */
  mixesNames?: boolean
  /** Lists the keys in descending order. */
  listsBackwards?: boolean
  ignoresStart?: boolean
  failsToRemoveMissing?: boolean
  copiesNothing?: boolean
  acceptsLate?: boolean
  /** How far its clock lags. */
  lateSeconds?: number
}

/**
 * Implements just enough of S3 for the start-up probe, with the given faults; stopped when the test finishes. Of
 * signatures it checks only the time. `settings` are the environment variables that point to it.
 */
export async function startFaultyStore(faults: StoreFaults) {
  const objects = new Map<string, Buffer>()
  const modified = new Date(Date.now() - (faults.lateSeconds ?? 0) * 1_000).toISOString()
  const escaped = (key: string) => (faults.mixesNames ? key.replaceAll('&', '&amp;') : encodeURIComponent(key))
  const listed = (key: string) =>
    `<Contents><Key>${escaped(key)}</Key><LastModified>${modified}</LastModified><Size>1</Size><ETag>"e"</ETag></Contents>`
  function listing(query: URLSearchParams): string {
    const after = faults.ignoresStart ? '' : (query.get('start-after') ?? '')
    const isFound = (key: string) => key.startsWith(query.get('prefix') ?? '') && byCodePoint(key, after) > 0
    const found = faults.listsNothing ? [] : [...objects.keys()].filter(isFound).sort(byCodePoint)
    if (faults.listsBackwards) found.reverse()
    const most = Number(query.get('max-keys') ?? 1_000)
    const page = found.slice(0, most).map(listed).join('')
    return `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${found.length > most}</IsTruncated>${page}</ListBucketResult>`
  }
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://store')
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/'))
    const fail = (status: number, code: string) => response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
    const { 'if-none-match': condition, 'x-amz-copy-source': source } = request.headers
    if (!faults.acceptsLate && isLate(request)) return fail(403, 'RequestTimeTooSkewed')
    if (typeof source === 'string') {
      const copied = objects.get(decodeURIComponent(source).replace(/^\/[^/]+\//, ''))
      if (copied === undefined) return fail(404, 'NoSuchKey')
      if (!faults.copiesNothing) objects.set(key, copied)
      return response.end('<CopyObjectResult><ETag>"e"</ETag></CopyObjectResult>')
    }
    if (request.method === 'PUT') {
      const isConditional = condition === '*' && !faults.ignoresCondition
      const wasTaken = objects.has(key)
      const bytes = await buffer(request)
      if (faults.checksEarly) await delay(50)
      if (faults.refusesCreate && condition === '*') return fail(501, 'NotImplemented')
      if (isConditional && (faults.checksEarly ? wasTaken : objects.has(key))) return fail(412, 'PreconditionFailed')
      objects.set(key, faults.readsStale ? Buffer.from('old') : bytes)
      return response.setHeader('ETag', '"e"').end()
    }
    if (request.method === 'DELETE') {
      if (!objects.delete(key) && faults.failsToRemoveMissing) return fail(409, 'InvalidObjectState')
      return response.writeHead(204).end()
    }
    if (searchParams.has('list-type')) return response.end(listing(searchParams))
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
