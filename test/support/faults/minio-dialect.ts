import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Misbehaviour } from './s3-proxy.ts'

/**
 * The rules by which MinIO lists otherwise than S3, seen with its last public source, of 2026-02-12. Its server is under
 * the AGPL, so tests apply the rules to other stores.
 */

/** It reads the prefix and the start of a listing as paths, and refuses one with a segment `.` or `..`. */
export function refusesDotSegments({ method, path }: { method: string; path: string }): Misbehaviour {
  const { searchParams } = new URL(path, 'http://store')
  const names = ['prefix', 'start-after'].flatMap((name) => searchParams.getAll(name))
  const isRefused = method === 'GET' && names.some((name) => name.split('/').some((segment) => /^\.\.?$/.test(segment)))
  return isRefused ? { status: 400, code: 'XMinioInvalidResourceName' } : null
}

/** It lists no key below an existing key. Below `d/f/` it lists `d/f` instead, if that exists. */
export function keysListed(keys: readonly string[], prefix: string, has: (key: string) => boolean): string[] {
  const isBelowKey = (key: string) => [...key.matchAll(/\//g)].some(({ index }) => has(key.slice(0, index)))
  const above = prefix.replace(/\/$/, '')
  const shown = above !== prefix && has(above) ? [above] : []
  return [...shown, ...keys].filter((key) => !isBelowKey(key))
}

/** It answers a listing of one key whose prefix is a key with that key alone, and with no further page. */
export function isOfOneKey(path: string): boolean {
  const { searchParams } = new URL(path, 'http://store')
  const isPlain = ['delimiter', 'start-after', 'continuation-token'].every((name) => !searchParams.get(name))
  return isPlain && searchParams.get('max-keys') === '1' && searchParams.get('prefix') !== ''
}

/** The dialect before an S3 server that stores no key below a key, such as S3Proxy on a file system. */
export async function startMinioDialect(endpoint: string): Promise<{ endpoint: string; stop(): Promise<void> }> {
  const { hostname, port } = new URL(endpoint)
  const server = createServer((asked, answer) => {
    const { method = '', url: path = '', headers } = asked
    const refusal = refusesDotSegments({ method, path })
    if (refusal !== null && typeof refusal === 'object' && 'status' in refusal) {
      asked.resume()
      answer.writeHead(refusal.status, { 'Content-Type': 'application/xml' })
      return answer.end(`<Error><Code>${refusal.code}</Code><Message>a segment of dots</Message></Error>`)
    }
    // Headers are forwarded unchanged: the signature covers the host.
    const passed = request({ hostname, port, method, path, headers }, async (answered) => {
      const { statusCode = 500 } = answered
      answered.on('error', () => answer.destroy())
      if (method !== 'GET' || statusCode !== 200 || !isOfOneKey(path)) {
        answer.writeHead(statusCode, answered.headers)
        return answered.pipe(answer)
      }
      const listing = await text(answered).catch(() => '')
      const { 'content-length': _, ...others } = answered.headers
      answer.writeHead(statusCode, others)
      answer.end(isKeyItself(listing) ? listing.replace('<IsTruncated>true<', '<IsTruncated>false<') : listing)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.on('error', () => passed.destroy())
    asked.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function isKeyItself(listing: string): boolean {
  const [, prefix] = /<Prefix>([^<]*)<\/Prefix>/.exec(listing) ?? []
  const [, key] = /<Key>([^<]*)<\/Key>/.exec(listing) ?? []
  return key !== undefined && key === prefix
}
